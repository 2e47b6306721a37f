package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Network;
import io.malob.algorithm.subflow.Route;
import java.util.List;

/**
 * How often routes use the links of each switch. Whole routes only. A Hamiltonian path uses two
 * links of each switch, but one where it begins, and one where it ends.
 */
final class StarUse {
  private final Network network;
  private double paths;

  /** By switch: all paths, as if none ended there. */
  private final double[] throughPaths;

  /** By switch: the paths that begin there, hence cannot end there. */
  private final double[] beginning;

  private final double[] minTrees;
  private final double[] maxTrees;

  StarUse(Network network, boolean[] egress, List<Choice> choices) {
    this.network = network;
    throughPaths = new double[network.switchCount()];
    beginning = new double[network.switchCount()];
    minTrees = new double[network.switchCount()];
    maxTrees = new double[network.switchCount()];
    for (Choice choice : choices) {
      int ingress = network.number(choice.demand().identity().ingress());
      if (choice.kind() == Route.Kind.HAMILTONIAN) {
        addPath(choice.counter().subflows(), ingress);
      } else {
        addTree(choice.counter().subflows(), ingress, egress);
      }
    }
  }

  private void addPath(double subflows, int ingress) {
    paths += subflows;
    beginning[ingress] += subflows;
    for (int number = 0; number < throughPaths.length; number++) {
      throughPaths[number] += number == ingress ? subflows : 2 * subflows;
    }
  }

  private void addTree(double subflows, int ingress, boolean[] egress) {
    for (int number = 0; number < maxTrees.length; number++) {
      minTrees[number] += egress[number] && number != ingress ? subflows : 0;
      maxTrees[number] += subflows * network.out(number).length;
    }
  }

  /** Whether routes may fit within the given number of sub-flows on each edge. */
  boolean fitsInto(double[] room) {
    double ends = 0;
    for (int number = 0; number < throughPaths.length; number++) {
      double here = throughPaths[number] + minTrees[number] - atSwitch(number, room);
      if (here > paths - beginning[number]) {
        return false;
      }
      ends += Math.max(0, here);
    }
    return ends <= paths;
  }

  /** Whether routes may suffice for the given number of sub-flows on each edge. */
  boolean fill(double[] need) {
    double ends = 0;
    for (int number = 0; number < throughPaths.length; number++) {
      double here = throughPaths[number] + maxTrees[number] - atSwitch(number, need);
      if (here < 0) {
        return false;
      }
      ends += Math.min(paths - beginning[number], here);
    }
    return ends >= paths;
  }

  private double atSwitch(int number, double[] byEdge) {
    double sum = 0;
    for (int link : network.out(number)) {
      sum += byEdge[network.edge(link)];
    }
    return sum;
  }
}
