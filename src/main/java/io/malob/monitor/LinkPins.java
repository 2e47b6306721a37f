package io.malob.monitor;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.ProbeRules;
import io.malob.state.network.PortId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Keeps the probes between the agents of neighbouring switches on the link between these: otherwise
 * they could take another path. Of two nodes, the node with the smaller address measures, and the
 * other is the server. Switches with several links between them are skipped, because a report does
 * not identify the link. For one thread at a time.
 */
final class LinkPins {
  /** The max number of pairs of nodes; each has four rules. */
  static final int MAX_PAIRS = 4_096;

  private final FlowProgrammer programmer;

  /** The same for every controller; of IPv4, that of the numbers. */
  private static final Comparator<IPAddress<?>> ORDER =
      Comparator.comparing(IPAddress::getBytes, Arrays::compareUnsigned);

  private final Function<IPAddress<?>, Optional<PortId>> locate;
  private final int tcpPort;
  private ImmutableMap<Pin, OFPort> installed = ImmutableMap.of();

  /** Packets that leave a switch by a port of their own. */
  private record Pin(DatapathId switchId, ProbeRules.Flow flow) {}

  private record Node(IPAddress<?> address, OFPort port) {}

  /**
   * Pins that are not installed yet.
   *
   * @param locate locates a host
   * @param tcpPort of the servers of probes
   */
  LinkPins(
      FlowProgrammer programmer, Function<IPAddress<?>, Optional<PortId>> locate, int tcpPort) {
    this.programmer = programmer;
    this.locate = locate;
    this.tcpPort = tcpPort;
  }

  /**
   * Updates the rules to the current agents, hosts and links.
   *
   * @param agents the addresses of all link agents
   * @param again whether existing rules are sent again, so that they do not expire
   */
  void update(Collection<? extends IPAddress<?>> agents, Topology topology, boolean again) {
    if (agents.isEmpty() && installed.isEmpty()) {
      return;
    }
    ImmutableMap<Pin, OFPort> wanted = wanted(nodes(agents), topology);
    ListMultimap<DatapathId, Pin> gone = MultimapBuilder.treeKeys().arrayListValues().build();
    installed.keySet().stream()
        .filter(pin -> !wanted.containsKey(pin))
        .forEach(pin -> gone.put(pin.switchId, pin));
    ListMultimap<DatapathId, Pin> due = MultimapBuilder.treeKeys().arrayListValues().build();
    wanted.forEach(
        (pin, out) -> {
          if (again || !out.equals(installed.get(pin))) {
            due.put(pin.switchId, pin);
          }
        });
    gone.asMap().forEach((switchId, pins) -> remove(switchId, pins));
    due.asMap().forEach((switchId, pins) -> add(switchId, pins, wanted));
    installed = wanted;
  }

  private void remove(DatapathId switchId, Collection<Pin> pins) {
    programmer.send(
        switchId,
        factory ->
            pins.stream().map(pin -> ProbeRules.remove(factory, pin.flow, tcpPort)).toList());
  }

  private void add(DatapathId switchId, Collection<Pin> pins, Map<Pin, OFPort> wanted) {
    programmer.send(
        switchId,
        factory -> {
          List<OFMessage> rules = new ArrayList<>();
          for (Pin pin : pins) {
            @Nullable OFPort out = wanted.get(pin);
            if (out != null) {
              rules.add(ProbeRules.add(factory, pin.flow, tcpPort, out));
            }
          }
          return rules;
        });
  }

  private ListMultimap<DatapathId, Node> nodes(Collection<? extends IPAddress<?>> agents) {
    ListMultimap<DatapathId, Node> nodes = MultimapBuilder.treeKeys().arrayListValues().build();
    agents.stream()
        .sorted(ORDER)
        .distinct()
        .forEach(
            address ->
                locate
                    .apply(address)
                    .ifPresent(at -> nodes.put(at.switchId(), new Node(address, at.port()))));
    return nodes;
  }

  private static ImmutableMap<Pin, OFPort> wanted(
      ListMultimap<DatapathId, Node> nodes, Topology topology) {
    Map<Pin, OFPort> pins = new HashMap<>();
    int pairs = 0;
    for (DatapathId switchId : nodes.keySet()) {
      for (DirectedLink link : topology.linksFrom(switchId)) {
        Optional<DirectedLink> back = onlyLink(topology, link.dst(), link.src());
        if (back.isEmpty() || onlyLink(topology, link.src(), link.dst()).isEmpty()) {
          continue;
        }
        for (Node from : nodes.get(link.src())) {
          for (Node to : nodes.get(link.dst())) {
            if (from.address.getIpVersion() == to.address.getIpVersion()
                && ORDER.compare(from.address, to.address) < 0
                && pairs++ < MAX_PAIRS) {
              pin(pins, link, back.get(), from, to);
            }
          }
        }
      }
    }
    return ImmutableMap.copyOf(pins);
  }

  private static void pin(
      Map<Pin, OFPort> pins, DirectedLink there, DirectedLink back, Node client, Node server) {
    ProbeRules.Flow requests = new ProbeRules.Flow(client.address, server.address, true);
    ProbeRules.Flow replies = new ProbeRules.Flow(server.address, client.address, false);
    pins.put(new Pin(there.src(), requests), there.srcPort());
    pins.put(new Pin(there.dst(), requests), server.port);
    pins.put(new Pin(back.src(), replies), back.srcPort());
    pins.put(new Pin(back.dst(), replies), client.port);
  }

  /** The link from one switch to another, if there is exactly one. */
  private static Optional<DirectedLink> onlyLink(
      Topology topology, DatapathId src, DatapathId dst) {
    List<DirectedLink> links = topology.linksBetween(src, dst);
    return links.size() == 1 ? Optional.of(links.get(0)) : Optional.empty();
  }
}
