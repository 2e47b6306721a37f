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

  /**
   * The best paths for a request to a server and back, at the current loads; empty if there are
   * none.
   */
  Optional<RatedPaths> best(NetworkSnapshot network, Request request, Server server);

  /** How it chooses. */
  Reason reason();

  /** The values that it uses for a pair of paths, by name with unit. */
  ImmutableMap<String, Double> values(
      NetworkSnapshot network, Request request, Server server, RatedPaths way);

  /**
   * The two paths of a connection with their cost: the pair with the lower cost is chosen; of equal
   * ones, the pair with the lower second cost, then with fewer links, then to the server with fewer
   * connections for its weight.
   *
   * @param load connections of the server by its weight, the new one included; so that connections
   *     are distributed if all paths are equal, for example without measurements
   */
  record RatedPaths(Path request, Path reply, double cost, double secondCost, double load)
      implements Comparable<RatedPaths> {
    private static final Comparator<RatedPaths> ORDER =
        Comparator.comparingDouble(RatedPaths::cost)
            .thenComparingDouble(RatedPaths::secondCost)
            .thenComparingInt(RatedPaths::links)
            .thenComparingDouble(RatedPaths::load);

    /** The number of links of both paths. */
    int links() {
      return request.hops() + reply.hops();
    }

    @Override
    public int compareTo(RatedPaths other) {
      return ORDER.compare(this, other);
    }
  }

  /** The connections of a server by its weight, a new one included. */
  static double load(NetworkSnapshot network, Server server) {
    return LeastConnections.perWeight(server, network.values().counting());
  }
}
