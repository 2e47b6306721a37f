package io.malob.mptcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Reads a network of switches and links that a request tells. */
final class NetworkFormat {
  private static final int MOST_LINKS = 100_000;
  private static final long LAST_PORT = 0xffffff00L;
  private static final Set<String> NETWORK = Set.of("switches", "links");
  private static final Set<String> LINK = Set.of("a", "a_port", "b", "b_port", "mbps");

  private NetworkFormat() {}

  static MptcpRequest.GivenNetwork read(JsonNode document) throws MptcpException {
    if (document.isMissingNode()) {
      throw MptcpException.invalid("network", "network is required");
    }
    Fields fields = Fields.of(document, "network.", NETWORK);
    Map<String, DatapathId> switches = switches(document.path("switches"));
    List<DirectedLink> links = new ArrayList<>();
    Map<UndirectedLink, Double> capacities = new HashMap<>();
    Set<String> ports = new HashSet<>();
    List<JsonNode> elements = fields.list("links", MOST_LINKS).orElse(List.of());
    for (int i = 0; i < elements.size(); i++) {
      Fields link = Fields.of(elements.get(i), "network.links[" + i + "].", LINK);
      DirectedLink there =
          new DirectedLink(
              end(link, "a", switches), port(link, "a_port"),
              end(link, "b", switches), port(link, "b_port"));
      if (there.src().equals(there.dst())
          || !ports.add(there.src() + "/" + there.srcPort())
          || !ports.add(there.dst() + "/" + there.dstPort())) {
        throw MptcpException.invalid(
            link.path() + "a_port",
            link.path() + "a_port: a port is an end of one link, between two switches");
      }
      links.add(there);
      links.add(there.reversed());
      link.positive("mbps").ifPresent(mbps -> capacities.put(UndirectedLink.of(there), mbps));
    }
    Map<DatapathId, String> names = new TreeMap<>();
    switches.forEach((name, id) -> names.put(id, name));
    return new MptcpRequest.GivenNetwork(
        Topology.of(switches.values(), links),
        ImmutableSortedMap.copyOf(names),
        ImmutableMap.copyOf(capacities));
  }

  private static Map<String, DatapathId> switches(JsonNode node) throws MptcpException {
    if (!node.isObject() || node.isEmpty()) {
      throw MptcpException.invalid(
          "network.switches",
          "network.switches must be an object with the datapath id of each switch by its name");
    }
    Map<String, DatapathId> switches = new TreeMap<>();
    Fields fields = new Fields(node, "network.switches.");
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      @Nullable DatapathId id = fields.switchId(name).orElse(null);
      if (id == null || switches.containsValue(id)) {
        throw MptcpException.invalid(
            fields.path() + name, fields.path() + name + " must be a datapath id of its own");
      }
      switches.put(name, id);
    }
    return switches;
  }

  private static DatapathId end(Fields link, String name, Map<String, DatapathId> switches)
      throws MptcpException {
    String text = link.required(name);
    @Nullable DatapathId id = switches.get(text);
    if (id == null) {
      throw MptcpException.unavailable(
          link.path() + name, link.path() + name + ": there is no switch " + text);
    }
    return id;
  }

  private static OFPort port(Fields link, String name) throws MptcpException {
    link.required(name);
    return OFPort.of((int) (long) link.number(name, 1, LAST_PORT).orElse(1L));
  }
}
