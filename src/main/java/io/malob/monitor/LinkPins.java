package io.malob.monitor;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.Sets;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.ProbeRule;
import io.malob.openflow.RuleBook;
import io.malob.openflow.RuleSender;
import io.malob.state.network.PortId;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
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

  /** The same for every controller; of IPv4, that of the numbers. */
  private static final Comparator<IPAddress<?>> ORDER =
      Comparator.comparing(IPAddress::getBytes, Arrays::compareUnsigned);

  private final RuleBook<ProbeRule> book;
  private final Function<IPAddress<?>, Optional<PortId>> locate;
  private final int tcpPort;

  private record Node(IPAddress<?> address, OFPort port) {}

  /**
   * Pins that are not installed yet.
   *
   * @param locate locates a host
   * @param tcpPort of the servers of probes
   */
  LinkPins(RuleSender ruleSender, Function<IPAddress<?>, Optional<PortId>> locate, int tcpPort) {
    this.book = new RuleBook<>(ruleSender);
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
    ListMultimap<DatapathId, ProbeRule> pins = pins(nodes(agents), topology);
    for (DatapathId switchId : Sets.union(pins.keySet(), book.switches())) {
      ImmutableMap<Object, ProbeRule> rules = RuleBook.byKey(pins.get(switchId));
      if (again) {
        book.setAll(switchId, rules);
      } else {
        book.set(switchId, rules);
      }
    }
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

  private ListMultimap<DatapathId, ProbeRule> pins(
      ListMultimap<DatapathId, Node> nodes, Topology topology) {
    ListMultimap<DatapathId, ProbeRule> pins = MultimapBuilder.treeKeys().arrayListValues().build();
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
    return pins;
  }

  private void pin(
      ListMultimap<DatapathId, ProbeRule> pins,
      DirectedLink there,
      DirectedLink back,
      Node client,
      Node server) {
    ProbeRule.Flow requests = new ProbeRule.Flow(client.address, server.address, true);
    ProbeRule.Flow replies = new ProbeRule.Flow(server.address, client.address, false);
    pins.put(there.src(), new ProbeRule(requests, tcpPort, there.srcPort()));
    pins.put(there.dst(), new ProbeRule(requests, tcpPort, server.port));
    pins.put(back.src(), new ProbeRule(replies, tcpPort, back.srcPort()));
    pins.put(back.dst(), new ProbeRule(replies, tcpPort, client.port));
  }

  /** The link from one switch to another, if there is exactly one. */
  private static Optional<DirectedLink> onlyLink(
      Topology topology, DatapathId src, DatapathId dst) {
    List<DirectedLink> links = topology.linksBetween(src, dst);
    return links.size() == 1 ? Optional.of(links.get(0)) : Optional.empty();
  }
}
