package io.malob.openflow.label;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.FoundRule;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Parts of paths from switches: the next hop of each label at each switch. They are combined when
 * the switches and the links between them are known. For one thread at a time.
 */
public final class FoundLabels {
  private final Map<Label, Map<DatapathId, FoundRule.Hop>> hops = new HashMap<>();

  /** A switch has this rule for a label. */
  public void add(DatapathId switchId, FoundRule.Hop hop) {
    hops.computeIfAbsent(hop.label(), any -> new HashMap<>()).put(switchId, hop);
  }

  /** Whether any switch was found to have a rule for a label. */
  public boolean contains(Label label) {
    return hops.containsKey(label);
  }

  /** All labels with known parts. */
  public Set<Label> labels() {
    return Set.copyOf(hops.keySet());
  }

  /** Forgets a label; returns the switches that have a rule for it. */
  public Set<DatapathId> remove(Label label) {
    @Nullable Map<DatapathId, FoundRule.Hop> removed = hops.remove(label);
    return removed == null ? Set.of() : removed.keySet();
  }

  /**
   * The path of a label from the switch where packets get it; empty while a part or a link of it is
   * unknown.
   */
  public Optional<Path> path(Label label, DatapathId first, Topology topology) {
    Map<DatapathId, FoundRule.Hop> pieces = hops.getOrDefault(label, Map.of());
    ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
    Set<DatapathId> passed = new HashSet<>();
    DatapathId at = first;
    OFPort in = OFPort.ANY;
    while (passed.add(at) && topology.switches().contains(at)) {
      FoundRule.@Nullable Hop hop = pieces.get(at);
      if (hop == null) {
        return Optional.empty();
      }
      if (hop.out().isEmpty()) {
        return Optional.of(new Path(first, links.build()));
      }
      OFPort out = hop.out().get().equals(OFPort.IN_PORT) ? in : hop.out().get();
      Optional<DirectedLink> link =
          topology.linksFrom(at).stream()
              .filter(each -> each.srcPort().equals(out) && !passed.contains(each.dst()))
              .findFirst();
      if (link.isEmpty()) {
        return Optional.empty();
      }
      links.add(link.get());
      at = link.get().dst();
      in = link.get().dstPort();
    }
    return Optional.empty();
  }
}
