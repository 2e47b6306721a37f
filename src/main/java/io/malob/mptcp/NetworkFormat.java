package io.malob.mptcp;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Reads a network of switches and links from a request. */
final class NetworkFormat {
  private static final int MAX_LINKS = 100_000;
  private static final long LAST_PORT = 0xffffff00L;
  private static final double MAX_NUMBER = 1e9;
  private static final ImmutableSet<String> NETWORK = ImmutableSet.of("switches", "links");
  private static final ImmutableSet<String> LINK =
      ImmutableSet.of("a", "a_port", "b", "b_port", "mbps");

  /** The description of a switch id in errors. */
  private static final String SWITCH = "a datapath id like 00:00:00:00:00:00:00:01";

  private NetworkFormat() {}

  static MptcpRequest.GivenNetwork read(JsonInput<RejectedException> document)
      throws RejectedException {
    JsonInput<RejectedException> fields = document.only(NETWORK);
    Map<String, DatapathId> switches = switches(fields.get("switches"));
    List<DirectedLink> links = new ArrayList<>();
    Map<UndirectedLink, Double> capacities = new HashMap<>();
    Set<String> ports = new HashSet<>();
    for (JsonInput<RejectedException> element :
        fields.get("links").optional(value -> value.elements(MAX_LINKS)).orElse(List.of())) {
      JsonInput<RejectedException> link = element.only(LINK);
      DirectedLink there =
          new DirectedLink(
              end(link.get("a"), switches), port(link.get("a_port")),
              end(link.get("b"), switches), port(link.get("b_port")));
      if (there.src().equals(there.dst())
          || !ports.add(there.src() + "/" + there.srcPort())
          || !ports.add(there.dst() + "/" + there.dstPort())) {
        String place = link.placeOf("a_port");
        throw RejectedException.invalid(
            place,
            place + ": each port must be an end of one link only, between two different switches");
      }
      links.add(there);
      links.add(there.reversed());
      link.get("mbps")
          .optional(NetworkFormat::positive)
          .ifPresent(mbps -> capacities.put(UndirectedLink.of(there), mbps));
    }
    Map<DatapathId, String> names = new TreeMap<>();
    switches.forEach((name, id) -> names.put(id, name));
    return new MptcpRequest.GivenNetwork(
        Topology.of(switches.values(), links),
        ImmutableSortedMap.copyOf(names),
        ImmutableMap.copyOf(capacities));
  }

  private static Map<String, DatapathId> switches(JsonInput<RejectedException> object)
      throws RejectedException {
    if (!object.isObject() || object.fields().isEmpty()) {
      throw object.wrong("an object with the datapath id of each switch by its name");
    }
    Map<String, DatapathId> switches = new TreeMap<>();
    for (Map.Entry<String, JsonInput<RejectedException>> field : object.fields().entrySet()) {
      DatapathId id = switchId(field.getValue());
      if (switches.containsValue(id)) {
        throw field.getValue().wrong("a datapath id that no other switch has");
      }
      switches.put(field.getKey(), id);
    }
    return switches;
  }

  /** The id of a switch; without colons, it can be a number. */
  static DatapathId switchId(JsonInput<RejectedException> value) throws RejectedException {
    String text = RequestFormat.text(value);
    try {
      return DatapathId.of(text);
    } catch (IllegalArgumentException e) {
      throw value.wrong(SWITCH);
    }
  }

  private static DatapathId end(
      JsonInput<RejectedException> value, Map<String, DatapathId> switches)
      throws RejectedException {
    String text = RequestFormat.text(value);
    @Nullable DatapathId id = switches.get(text);
    if (id == null) {
      throw noSwitch(value, text);
    }
    return id;
  }

  static RejectedException noSwitch(JsonInput<RejectedException> value, String text) {
    return RejectedException.unprocessable(
        value.place(), value.place() + ": there is no switch " + text);
  }

  /** The number of a switch's port. */
  static OFPort port(JsonInput<RejectedException> value) throws RejectedException {
    return OFPort.of((int) value.spelled().whole(1, LAST_PORT));
  }

  static double positive(JsonInput<RejectedException> value) throws RejectedException {
    double number = value.spelled().number(0, MAX_NUMBER);
    if (number == 0) {
      throw value.wrong("a number above 0");
    }
    return number;
  }
}
