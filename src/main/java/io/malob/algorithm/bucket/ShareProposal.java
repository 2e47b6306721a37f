package io.malob.algorithm.bucket;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.joint.GreedyShares;
import io.malob.algorithm.server.Slowness;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The shares of servers that a placement rule would lead to, for the clients at one switch. It
 * places the VIP's present connections anew, by the rule itself, in a trial: on copies of the loads
 * of servers and links, from which the VIP's own connections are taken away first. Deterministic;
 * used once, by one thread.
 *
 * <p>A round places as many connections as are open. Rounds are repeated, each from the same loads,
 * so that servers that take turns or are in slow start get their parts. All rules but those by
 * turns balance connections at the same time, while buckets distribute new connections: by Little's
 * law, a server with longer connections gets fewer new ones.
 *
 * <p>For PREQUAL, which learns from connections that the controller places, {@link GreedyShares}
 * takes the place of the trial.
 */
public final class ShareProposal {
  /** The max number of placements of a round; with more connections, each stands for several. */
  private static final int MAX_ROUND = 1024;

  private static final int MIN_PLACEMENTS = 1024;

  /** How many ratings of servers and links one proposal may cost, for each wanted placement. */
  private static final int MAX_EFFORT = 4;

  /** How many links one proposal may examine to find wider paths. */
  private static final long MAX_SEARCHED = 100_000;

  /** A server's mean lifetime counts as no more than this many times the mean of all, or 1/so. */
  private static final double MAX_LIFETIME_RATIO = 3;

  private final Algorithm algorithm;
  private final NetworkSnapshot network;
  private final Request request;
  private final Request anyServer;
  private final Placer placer;
  private final int[] added;
  private final int[] placed;
  private final ImmutableList<Server> servers;
  private final Map<Integer, Integer> indexOfNumber = new HashMap<>();

  /**
   * The load of a VIP, by server.
   *
   * @param open the VIP's connections now, which the server's load includes; may be estimated
   * @param lifetimes the mean lifetime of a connection, in seconds; not a number if unknown
   * @param elsewhere the shares of the other edges' new connections, which sum to 1, or are all 0
   * @param part the part of all new connections that is this edge's, above 0 and up to 1
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
  public record Demand(double[] open, double[] lifetimes, double[] elsewhere, double part) {
    private void check(int servers) {
      check("open", open, servers);
      check("lifetimes", lifetimes, servers);
      check("elsewhere", elsewhere, servers);
      if (Arrays.stream(open).anyMatch(Double::isNaN)) {
        throw new IllegalArgumentException("open: not a number");
      }
      if (!(part > 0 && part <= 1)) {
        throw new IllegalArgumentException("part: " + part + " is out of range");
      }
    }

    private static void check(String name, double[] values, int servers) {
      if (values.length != servers) {
        throw new IllegalArgumentException(
            name + ": " + values.length + " values for " + servers + " servers");
      }
      for (double value : values) {
        if (value < 0 || Double.isInfinite(value)) {
          throw new IllegalArgumentException(name + ": " + value + " is out of range");
        }
      }
    }

    private double connections() {
      return Arrays.stream(open).sum();
    }

    private GreedyShares.Load load(int[] servers) {
      double all = Math.max(1, connections());
      double[] ratios = ratios(elsewhere, lifetimes);
      double[] shares =
          normalized(
              IntStream.range(0, ratios.length)
                  .mapToDouble(i -> elsewhere[i] * ratios[i])
                  .toArray());
      double[] given =
          Arrays.stream(servers).mapToDouble(i -> (1 - part) * all * shares[i]).toArray();
      return new GreedyShares.Load(all, part, given);
    }

    /** By connections that the controller has placed, if no lifetimes are known. */
    private double[] slowness(ImmutableList<Server> servers, ServiceProfile service) {
      int[] all = IntStream.range(0, servers.size()).toArray();
      double[] equal = new double[all.length];
      Arrays.fill(equal, 1);
      return Arrays.stream(lifetimes).allMatch(Double::isNaN)
          ? Slowness.of(servers, all, service)
          : equal;
    }
  }

  private ShareProposal(
      Algorithm algorithm,
      ImmutableList<Server> servers,
      Request anyServer,
      NetworkSnapshot network,
      Counting counting) {
    this.algorithm = algorithm;
    this.servers = servers;
    this.network = network;
    this.anyServer = anyServer;
    this.request =
        new Request(anyServer.clientSwitch(), server -> !server.isFull(), anyServer.profile());
    this.placer = Placers.of(algorithm, servers, new AtomicInteger(), counting);
    this.added = new int[servers.size()];
    this.placed = new int[servers.size()];
    for (int index = 0; index < servers.size(); index++) {
      indexOfNumber.put(servers.get(index).number(), index);
    }
  }

  /**
   * The share of each server; they sum to 1, or are all 0 if no server can be reached. A server
   * that cannot be reached from the switch and back has the share 0. Connection limits hold as long
   * as a server is below its own.
   *
   * <p>This costs about as many placements as buckets, at least 1,024; fewer if a round is
   * expensive because of many servers or links. Paths that the snapshot does not know are searched
   * for at once, and not kept.
   *
   * @param servers the candidates
   * @param clientSwitch the edge switch of the clients
   * @param profile the expected traffic of the service
   * @param counting the values that the rule uses as the load of servers
   * @param buckets how fine the shares must be
   * @throws IllegalArgumentException if the lengths differ, or a number of connections is negative
   */
  public static double[] of(
      Algorithm algorithm,
      ImmutableList<Server> servers,
      Demand demand,
      DatapathId clientSwitch,
      ServiceProfile profile,
      NetworkSnapshot network,
      Counting counting,
      int buckets) {
    demand.check(servers.size());
    NetworkSnapshot trial = network.trial(MAX_SEARCHED);
    Request request = new Request(clientSwitch, any -> true, profile);
    int[] reachable =
        IntStream.range(0, servers.size())
            .filter(i -> isReachable(servers.get(i), clientSwitch, trial))
            .toArray();
    double[] shares = new double[servers.size()];
    if (reachable.length == 0) {
      return shares;
    }
    ImmutableList<Server> copies =
        Arrays.stream(reachable)
            .mapToObj(i -> trialServer(servers.get(i), demand.open[i]))
            .collect(ImmutableList.toImmutableList());
    int wanted = Math.max(buckets, MIN_PLACEMENTS);
    int[] placed;
    if (algorithm.isByResponseTimes()) {
      placed =
          new GreedyShares(request, trial, algorithm.isJoint())
              .of(copies, demand.slowness(copies, profile), demand.load(reachable), wanted);
    } else {
      ShareProposal proposal = new ShareProposal(algorithm, copies, request, trial, counting);
      proposal.place(demand.connections(), wanted);
      placed = proposal.placed;
    }
    for (int index = 0; index < reachable.length; index++) {
      shares[reachable[index]] = placed[index];
    }
    return normalized(algorithm.isByTurns() ? shares : perLifetime(shares, demand.lifetimes));
  }

  private static boolean isReachable(
      Server server, DatapathId clientSwitch, NetworkSnapshot network) {
    DatapathId serverSwitch = server.at().switchId();
    return network.lowestLatency(clientSwitch, serverSwitch).isPresent()
        && network.lowestLatency(serverSwitch, clientSwitch).isPresent();
  }

  private static Server trialServer(Server server, double open) {
    return server.withLoad(server.load().without((int) Math.round(open)));
  }

  private void place(double open, int wanted) {
    int inRound = (int) Math.max(1, Math.min(MAX_ROUND, Math.round(open)));
    double each = Math.max(1, open / inRound);
    boolean countsLinks = algorithm.isJoint() && algorithm.isByWidth();
    int rated = algorithm.isJoint() ? servers.size() : 0;
    int searched = countsLinks ? network.topology().links().size() : 0;
    long effort = 0;
    for (int done = 0; done < wanted && effort < (long) MAX_EFFORT * wanted; done += inRound) {
      NetworkSnapshot trial = countsLinks ? network.trialRound() : network;
      placer.prepare(trial);
      for (int i = 0; i < inRound; i++) {
        place(trial, countsLinks, (int) ((long) ((i + 1) * each) - (long) (i * each)));
      }
      takeBack();
      effort += (long) inRound + rated + searched;
    }
  }

  private void place(NetworkSnapshot trial, boolean countsLinks, int connections) {
    Placer.Result result = placer.place(request, trial);
    if (!(result instanceof Placement)) {
      // all are full
      result = placer.place(anyServer, trial);
    }
    if (!(result instanceof Placement placement)) {
      return;
    }
    Server server = placement.server();
    int index = Objects.requireNonNull(indexOfNumber.get(server.number()));
    placed[index]++;
    added[index] += connections;
    server.load().add(connections);
    placer.loadChanged(server);
    if (countsLinks) {
      trial.values().add(placement.requestPath(), connections);
      trial.values().add(placement.replyPath(), connections);
    }
  }

  private void takeBack() {
    for (int index = 0; index < added.length; index++) {
      if (added[index] != 0) {
        servers.get(index).load().add(-added[index]);
        added[index] = 0;
        placer.loadChanged(servers.get(index));
      }
    }
  }

  private static double[] perLifetime(double[] shares, double[] lifetimes) {
    double[] ratios = ratios(shares, lifetimes);
    return IntStream.range(0, shares.length).mapToDouble(i -> shares[i] / ratios[i]).toArray();
  }

  /** The lifetimes relative to the mean of the servers with a share; 1 if unknown. */
  private static double[] ratios(double[] shares, double[] lifetimes) {
    double mean =
        IntStream.range(0, shares.length)
            .filter(i -> shares[i] > 0 && !Double.isNaN(lifetimes[i]))
            .mapToDouble(i -> lifetimes[i])
            .average()
            .orElse(0);
    return Arrays.stream(lifetimes)
        .map(lifetime -> mean == 0 || Double.isNaN(lifetime) ? 1 : lifetime / mean)
        .map(ratio -> Math.max(1 / MAX_LIFETIME_RATIO, Math.min(MAX_LIFETIME_RATIO, ratio)))
        .toArray();
  }

  private static double[] normalized(double[] shares) {
    double sum = Arrays.stream(shares).sum();
    return sum == 0 ? shares : Arrays.stream(shares).map(share -> share / sum).toArray();
  }
}
