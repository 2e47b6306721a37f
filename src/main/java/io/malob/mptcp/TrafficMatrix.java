package io.malob.mptcp;

import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Traffic;
import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The destinations of the sub-flows of each identity: each of a host's addresses sends to the same
 * hosts, all in its VLAN, in equal parts or as in a request.
 */
final class TrafficMatrix implements Traffic {
  private final Map<FlowIdentity, Map<DatapathId, Double>> weights = new HashMap<>();
  private final Map<FlowIdentity, Double> sums = new HashMap<>();

  private TrafficMatrix() {}

  /** The matrix of these pairs; of all pairs in the same VLAN if there are none. */
  static TrafficMatrix of(
      Collection<PlanSettings.Pair> pairs,
      Collection<Member> members,
      boolean perVlan,
      Topology topology)
      throws RejectedException {
    TrafficMatrix matrix = new TrafficMatrix();
    Map<String, Member> byId = new LinkedHashMap<>();
    members.forEach(member -> byId.put(member.host().id(), member));
    for (PlanSettings.Pair pair : pairs) {
      matrix.add(
          found(byId, pair.from()), found(byId, pair.to()), pair.weight(), perVlan, topology);
    }
    if (pairs.isEmpty()) {
      for (Member from : members) {
        for (Member to : members) {
          if (!from.equals(to) && from.host().vlan() == to.host().vlan()) {
            matrix.add(from, to, 1, perVlan, topology);
          }
        }
      }
    }
    return matrix;
  }

  private static Member found(Map<String, Member> byId, String id) throws RejectedException {
    Member member = byId.get(id);
    if (member == null) {
      throw RejectedException.unprocessable("traffic", "traffic: there is no host " + id);
    }
    return member;
  }

  private void add(Member from, Member to, double weight, boolean perVlan, Topology topology) {
    for (int i = 0; i < from.addresses().size(); i++) {
      NetworkPlan.identity(from, i, perVlan, topology)
          .ifPresent(
              identity -> {
                weights
                    .computeIfAbsent(identity, any -> new HashMap<>())
                    .merge(to.host().switchId(), weight, Double::sum);
                sums.merge(identity, weight, Double::sum);
              });
    }
  }

  @Override
  public double share(FlowIdentity identity, DatapathId egress) {
    double sum = sums.getOrDefault(identity, 0.0);
    return sum == 0 ? 0 : weights.getOrDefault(identity, Map.of()).getOrDefault(egress, 0.0) / sum;
  }
}
