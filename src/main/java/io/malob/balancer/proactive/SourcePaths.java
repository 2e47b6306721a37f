package io.malob.balancer.proactive;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.openflow.Onward;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.SourceRules;
import io.malob.openflow.label.LabelTable;
import io.malob.state.network.SelfAddresses.SelfAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Leads what comes to source addresses to their edges, from all switches at which a host has asked
 * for the address: members' routers may use others than MALOB does, and routers report errors. The
 * replies of members at their own switches have paths of their VIP. For one thread at a time.
 */
final class SourcePaths {
  private final LabelTable labels;
  private final Programmed programmed;
  private final VipNextHops askers;

  /** The paths from each switch to edges. */
  private final Map<DatapathId, Leads<DatapathId>> leads = new HashMap<>();

  /** What the rules of each switch were made of. */
  private final Map<DatapathId, Inputs> made = new HashMap<>();

  private record Owner() {}

  private record Inputs(Map<SelfAddress, Onward> next, TableLayout layout, long portChanges) {}

  /**
   * No rules.
   *
   * @param askers the hosts that have asked for addresses
   */
  SourcePaths(LabelTable labels, Programmed programmed, VipNextHops askers) {
    this.labels = labels;
    this.programmed = programmed;
    this.askers = askers;
  }

  /** Brings the rules up to date, for source addresses with the edges that have them. */
  void advance(Map<SelfAddress, DatapathId> edges, NetworkSnapshot network, long nowNanos) {
    Map<DatapathId, Set<SelfAddress>> asked = new HashMap<>();
    edges.forEach(
        (source, edge) -> {
          asked.computeIfAbsent(edge, any -> new HashSet<>()).add(source);
          for (Attachment at : askers.of(AddressKey.of(source.address())).values()) {
            asked.computeIfAbsent(at.switchId(), any -> new HashSet<>()).add(source);
          }
        });
    for (DatapathId gone : List.copyOf(leads.keySet())) {
      if (!asked.containsKey(gone)) {
        clear(gone, nowNanos);
      }
    }
    asked.forEach(
        (at, sources) ->
            programmed
                .wire(at)
                .ifPresent(wire -> program(wire, sources, edges, network, nowNanos)));
  }

  private void clear(DatapathId gone, long nowNanos) {
    programmed.clear(gone, new Owner(), nowNanos);
    made.remove(gone);
    @Nullable Leads<DatapathId> unused = leads.remove(gone);
    if (unused != null) {
      unused.retain(Set.of());
      unused.releaseReplaced();
    }
  }

  private void program(
      Wire wire,
      Set<SelfAddress> sources,
      Map<SelfAddress, DatapathId> edges,
      NetworkSnapshot network,
      long nowNanos) {
    DatapathId at = wire.sw().switchId();
    Leads<DatapathId> here = leads.computeIfAbsent(at, any -> new Leads<>(labels));
    Map<SelfAddress, Onward> next = new HashMap<>();
    Set<DatapathId> wanted = new HashSet<>();
    for (SelfAddress source : sources) {
      DatapathId edge = Objects.requireNonNull(edges.get(source));
      onward(here, at, edge, network).ifPresent(each -> next.put(source, each));
      wanted.add(edge);
    }
    here.retain(wanted);
    Inputs inputs = new Inputs(next, wire.tables().layout(), labels.portChanges());
    if (!inputs.equals(made.put(at, inputs))) {
      wire.sw()
          .set(
              new Owner(),
              next.entrySet().stream()
                  .map(
                      each ->
                          SourceRules.toEdge(
                              wire.tables(),
                              each.getKey().address(),
                              each.getKey().vlan(),
                              each.getValue()))
                  .toList(),
              wire.tables(),
              nowNanos);
    }
    if (!wire.sw().isWaiting()) {
      here.releaseReplaced();
    }
  }

  private static Optional<Onward> onward(
      Leads<DatapathId> here, DatapathId at, DatapathId edge, NetworkSnapshot network) {
    Attachment receiver = SourceRules.edge(edge);
    if (at.equals(edge)) {
      return Optional.of(Onward.to(receiver));
    }
    network.fewestHops(at, edge).ifPresent(path -> here.want(edge, null, path));
    return here.find(edge).map(lead -> lead.onward(receiver));
  }
}
