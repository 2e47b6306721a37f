package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.LinkValues;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * PREQUAL for load that is distributed in advance: equal units of it go one by one to the server
 * where one more connection costs the least. The cost is that of {@link PrequalWithPath}, without
 * the distinction of hot and cold servers, and grows with the units that a server and the links to
 * it have got. So it is a marginal cost of weight-to-latency curves as in KnapsackLB (R. Gandhi, S.
 * Narayana, arXiv:2404.17783, 2024), and no integer program is needed: the curves are convex.
 *
 * <p>O(units log servers). All packets from the edge to a server take the same paths, so these are
 * chosen once. Deterministic; for one thread.
 */
public final class GreedyShares {
  /**
   * How far other edges are assumed to do as this one, instead of keeping to what they do now.
   * Otherwise, many edges would all give the same server what it lacks. From a half on, the
   * response to a server's excess is at most as large as the excess.
   */
  private static final double ALIKE = 0.5;

  /** How often the costs of servers are renewed because of others' units, for each unit. */
  private static final int MAX_RENEWALS = 4;

  private final Request request;
  private final NetworkSnapshot network;
  private final boolean isByNetwork;

  /** With counts of their own. */
  private final LinkValues links;

  /** Changes with the counts of links. */
  private int linkVersion;

  /**
   * The load to be distributed.
   *
   * @param connections how many connections the clients at all edges have open, above 0
   * @param part the part of them that belongs to this edge, above 0 and up to 1
   * @param elsewhere how many connections each server has from other edges
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
  public record Load(double connections, double part, double[] elsewhere) {}

  /**
   * Shares for the clients of a request.
   *
   * @param isByNetwork whether the network's part counts
   */
  public GreedyShares(Request request, NetworkSnapshot network, boolean isByNetwork) {
    this.request = request;
    this.network = network;
    this.isByNetwork = isByNetwork;
    this.links = network.values().trial();
  }

  /** What has been given to a server, and what one more connection there costs. */
  private final class Candidate {
    private static final Comparator<Candidate> ORDER =
        Comparator.comparing(Candidate::isFull)
            .thenComparingDouble(candidate -> candidate.cost)
            .thenComparingInt(candidate -> candidate.index);

    final int index;
    final Server server;
    final double slowness;
    final @Nullable QuickestPaths paths;
    final double elsewhere;
    int units;
    double added;
    double cost;
    int costVersion;

    Candidate(
        int index,
        Server server,
        double slowness,
        @Nullable QuickestPaths paths,
        double elsewhere) {
      this.index = index;
      this.server = server;
      this.slowness = slowness;
      this.paths = paths;
      this.elsewhere = elsewhere;
      renew();
    }

    boolean isFull() {
      return server.isFull() || server.load().active() + elsewhere + added >= server.limit();
    }

    void renew() {
      double present = server.load().present(links.counting()) + elsewhere + added;
      double response = slowness * (present + 1) / server.weightNow();
      cost = paths == null ? response : nanos(paths, response);
      costVersion = linkVersion;
    }

    private double nanos(QuickestPaths known, double response) {
      ServiceProfile profile = request.profile();
      return known.nanos(links, profile, PrequalWithPath.ITSELF_AND_OTHERS)
          + PrequalWithPath.ITSELF_AND_OTHERS * profile.expectedServiceNanos() * response;
    }

    /** Gets a unit of so many connections at the server, and so many on the links. */
    void take(double atServer, double onLinks) {
      units++;
      added += atServer;
      int more = (int) (units * onLinks) - (int) ((units - 1) * onLinks);
      if (paths != null && more > 0) {
        links.add(paths.request(), more);
        links.add(paths.reply(), more);
        linkVersion++;
      }
      renew();
    }
  }

  /**
   * The units of each server; none for a server that cannot be reached. Connection limits hold as
   * long as a server is below its own.
   *
   * @param servers without the connections that are distributed
   * @param slowness the time that each takes, relative to a usual one
   */
  public int[] of(ImmutableList<Server> servers, double[] slowness, Load load, int units) {
    PriorityQueue<Candidate> queue = new PriorityQueue<>(Candidate.ORDER);
    IntStream.range(0, servers.size())
        .forEach(i -> add(queue, i, servers.get(i), slowness[i], load.elsewhere[i]));
    double each = load.connections / units;
    double atServer = each * (ALIKE + (1 - ALIKE) * load.part);
    int[] given = new int[servers.size()];
    int renewals = MAX_RENEWALS * units;
    for (int unit = 0; unit < units && !queue.isEmpty(); unit++) {
      Candidate cheapest = queue.remove();
      // costs only grow, so a renewed one that is still the lowest is the lowest of all
      while (cheapest.costVersion != linkVersion && renewals > 0) {
        renewals--;
        cheapest.renew();
        queue.add(cheapest);
        cheapest = queue.remove();
      }
      cheapest.take(atServer, each * load.part);
      given[cheapest.index]++;
      queue.add(cheapest);
    }
    return given;
  }

  private void add(
      PriorityQueue<Candidate> queue, int index, Server server, double slowness, double elsewhere) {
    @Nullable QuickestPaths paths =
        isByNetwork ? PrequalWithPath.paths(server, request, network).orElse(null) : null;
    if (paths != null || !isByNetwork) {
      queue.add(new Candidate(index, server, slowness, paths, (1 - ALIKE) * elsewhere));
    }
  }
}
