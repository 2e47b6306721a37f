package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.server.LeastConnections;
import java.util.Comparator;
import java.util.Optional;

/** Rates a server together with the paths to and from it. Pure. */
interface JointRule {

  /** The best way for a request to a server and back, as loads are now; empty if there is none. */
  Optional<Way> best(NetworkSnapshot network, Request request, Server server);

  /** How it chooses. */
  Reason reason();

  /** What it sees in a way, by name with its unit. */
  ImmutableMap<String, Double> values(
      NetworkSnapshot network, Request request, Server server, Way way);

  /**
   * The two paths of a connection, and how good they are: the way with the lower cost is taken, of
   * equal ones that with the lower second cost, then the one with fewer links, then the one to the
   * server with fewer connections for its weight.
   *
   * @param load connections of the server by its weight, the new one included; so that where all
   *     ways are alike, which they are where nothing is known, connections are spread
   */
  record Way(Path request, Path reply, double cost, double secondCost, double load)
      implements Comparable<Way> {
    private static final Comparator<Way> ORDER =
        Comparator.comparingDouble(Way::cost)
            .thenComparingDouble(Way::secondCost)
            .thenComparingInt(Way::links)
            .thenComparingDouble(Way::load);

    /** How many links there are there and back. */
    int links() {
      return request.hops() + reply.hops();
    }

    @Override
    public int compareTo(Way other) {
      return ORDER.compare(this, other);
    }
  }

  /** The connections of a server by its weight, a new one included. */
  static double load(NetworkSnapshot network, Server server) {
    return LeastConnections.perWeight(server, network.values().counting());
  }
}
