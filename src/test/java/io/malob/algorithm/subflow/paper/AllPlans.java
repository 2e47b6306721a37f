package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.Demand;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.algorithm.subflow.Traffic;
import io.malob.testing.Graphs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The best of all plans by brute force, for small networks: all ways of each identity, and demand
 * by demand all loads that can come about, each kept once. Nothing is left out. Shares nothing with
 * the planner but the records.
 */
final class AllPlans {
  private final PlanRequest request;
  private final List<UndirectedLink> edges;
  private int reachable;

  /** The best maximum, the largest minimum with it, and the smallest sum of squares with both. */
  record Best(double maximum, double minimum, double squares) {}

  AllPlans(PlanRequest request) {
    this.request = request;
    this.edges =
        ImmutableSortedSet.copyOf(
                request.topology().links().stream().map(UndirectedLink::of).iterator())
            .asList();
  }

  /** How many different loads all plans have. */
  int reachable() {
    return reachable;
  }

  Best best() {
    Map<List<Long>, double[]> loads = new LinkedHashMap<>();
    loads.put(List.of(), new double[edges.size()]);
    for (Demand demand : request.demands()) {
      Map<List<Long>, double[]> next = new LinkedHashMap<>();
      for (double[] added : ways(demand)) {
        for (double[] before : loads.values()) {
          double[] after = before.clone();
          for (int i = 0; i < after.length; i++) {
            after[i] += added[i];
          }
          next.putIfAbsent(Arrays.stream(after).mapToObj(x -> Math.round(x * 1e6)).toList(), after);
        }
      }
      loads = next;
    }
    reachable = loads.size();
    return loads.values().stream().map(this::scored).min(AllPlans::compare).orElseThrow();
  }

  private static int compare(Best one, Best other) {
    double maximum = one.maximum() - other.maximum();
    double minimum = other.minimum() - one.minimum();
    double squares = one.squares() - other.squares();
    double first =
        Math.abs(maximum) > 1e-9 ? maximum : Math.abs(minimum) > 1e-9 ? minimum : squares;
    return (int) Math.signum(first);
  }

  private Best scored(double[] loads) {
    double maximum = Double.NEGATIVE_INFINITY;
    double minimum = Double.POSITIVE_INFINITY;
    double squares = 0;
    for (int i = 0; i < loads.length; i++) {
      double value =
          (loads[i] + request.background().getOrDefault(edges.get(i), 0.0))
              / request.capacities().getOrDefault(edges.get(i), 1.0);
      maximum = Math.max(maximum, value);
      minimum = Math.min(minimum, value);
      squares += value * value;
    }
    return new Best(maximum, minimum, squares);
  }

  /** What each way of a demand adds: its Hamiltonian paths, or if it has none its trees. */
  private List<double[]> ways(Demand demand) {
    DirectedLink first = demand.identity().first();
    List<List<DirectedLink>> ways = new ArrayList<>();
    for (DatapathId end : request.topology().switches()) {
      for (Path path : Graphs.allPaths(request.topology(), first.src(), end)) {
        if (path.hops() == request.topology().switches().size() - 1
            && path.links().get(0).equals(first)) {
          ways.add(path.links());
        }
      }
    }
    if (ways.isEmpty()) {
      grow(demand.identity(), new ArrayList<>(), new HashSet<>(Set.of(first.src())), ways);
    }
    Map<List<Double>, double[]> distinct = new LinkedHashMap<>();
    for (List<DirectedLink> way : ways) {
      double[] added = added(demand, way);
      distinct.put(Arrays.stream(added).boxed().toList(), added);
    }
    return new ArrayList<>(distinct.values());
  }

  /** All trees from the ingress to all egresses, leaves at egresses only, first link preferred. */
  private void grow(
      FlowIdentity identity,
      List<DirectedLink> tree,
      Set<DatapathId> reached,
      List<List<DirectedLink>> trees) {
    if (isTree(identity, tree, reached)) {
      trees.add(List.copyOf(tree));
    }
    for (DirectedLink link : request.topology().links()) {
      boolean isNext = tree.isEmpty() || link.compareTo(tree.get(tree.size() - 1)) > 0;
      if (reached.contains(link.src())
          && !reached.contains(link.dst())
          && allowed(identity, link)
          && (isNext || !tree.get(tree.size() - 1).src().equals(link.src()))) {
        tree.add(link);
        reached.add(link.dst());
        grow(identity, tree, reached, trees);
        reached.remove(link.dst());
        tree.remove(tree.size() - 1);
      }
    }
  }

  private boolean allowed(FlowIdentity identity, DirectedLink link) {
    if (!link.src().equals(identity.ingress()) || link.equals(identity.first())) {
      return true;
    }
    Set<DatapathId> byFirst = new LinkedHashSet<>(Set.of(identity.first().dst()));
    for (int round = 0; round < request.topology().switches().size(); round++) {
      for (DirectedLink each : request.topology().links()) {
        if (byFirst.contains(each.src()) && !each.dst().equals(identity.ingress())) {
          byFirst.add(each.dst());
        }
      }
    }
    return !byFirst.contains(link.dst());
  }

  private boolean isTree(FlowIdentity identity, List<DirectedLink> tree, Set<DatapathId> reached) {
    Set<DatapathId> sources = new HashSet<>();
    tree.forEach(link -> sources.add(link.src()));
    return reached.containsAll(request.egresses())
        && tree.stream()
            .map(DirectedLink::dst)
            .allMatch(leaf -> sources.contains(leaf) || request.egresses().contains(leaf))
        && reached.contains(identity.ingress());
  }

  private double[] added(Demand demand, List<DirectedLink> way) {
    double[] added = new double[edges.size()];
    for (DirectedLink link : way) {
      added[edges.indexOf(UndirectedLink.of(link))] +=
          request
              .traffic()
              .map(traffic -> demand.subflows() * beyond(demand, traffic, way, link.dst()))
              .orElse((double) demand.subflows());
    }
    return added;
  }

  /** The part of a demand that ends at a switch or is led on from it. */
  private static double beyond(
      Demand demand, Traffic traffic, List<DirectedLink> way, DatapathId at) {
    double part = traffic.share(demand.identity(), at);
    for (DirectedLink link : way) {
      part += link.src().equals(at) ? beyond(demand, traffic, way, link.dst()) : 0;
    }
    return part;
  }
}
