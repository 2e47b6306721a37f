package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
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
   * The two paths of a connection, and how good they are: the way with the lower cost is taken, and
   * of equal ones that with the lower second cost.
   */
  record Way(Path request, Path reply, double cost, double secondCost) implements Comparable<Way> {
    @Override
    public int compareTo(Way other) {
      int byCost = Double.compare(cost, other.cost);
      return byCost != 0 ? byCost : Double.compare(secondCost, other.secondCost);
    }
  }
}
