package io.malob.mptcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.json.Json;
import io.malob.openflow.subflow.Fan.Tagging;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/** Reads requests. */
final class RequestFormat {
  /** How many hosts a plan can have. */
  static final int MOST_HOSTS = 10_000;

  private static final int MOST_PAIRS = 100_000;
  private static final int LAST_VLAN = 4094;
  private static final int DEFAULT_PREFIX = 24;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}");
  private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,31}");

  private static final Set<String> ONLINE =
      Set.of("method", "paths", "vlan", "vlans", "count", "traffic", "weights", "seed", "hosts");
  private static final ImmutableSet<String> OFFLINE =
      ImmutableSet.<String>builder().addAll(ONLINE).add("network").build();
  private static final Set<String> PAIR = Set.of("from", "to", "weight");
  private static final Set<String> HOST =
      Set.of("id", "address", "vlan", "tagged_by", "mac", "switch", "port", "addresses", "device");

  private enum Count {
    WHOLE,
    TRAVELLED
  }

  private RequestFormat() {}

  /** A request about the network that the controller sees. */
  static MptcpRequest read(byte[] body) throws MptcpException {
    return read(parse(body), false);
  }

  /** A request about a network that it tells itself. */
  static MptcpRequest readOffline(byte[] body) throws MptcpException {
    return read(parse(body), true);
  }

  private static JsonNode parse(byte[] body) throws MptcpException {
    try {
      return body.length == 0 ? Json.object() : Json.readStrictly(body);
    } catch (JsonProcessingException e) {
      throw MptcpException.malformed("the body is not valid JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw MptcpException.malformed("the body is not valid JSON");
    }
  }

  private static MptcpRequest read(JsonNode document, boolean isOffline) throws MptcpException {
    Fields fields = Fields.of(document, "", isOffline ? OFFLINE : ONLINE);
    Optional<List<JsonNode>> elements = fields.list("hosts", MOST_HOSTS);
    Optional<MptcpRequest.GivenNetwork> network = Optional.empty();
    if (isOffline) {
      network = Optional.of(NetworkFormat.read(document.path("network")));
    }
    Optional<ImmutableList<GivenHost>> hosts = Optional.empty();
    if (elements.isPresent()) {
      ImmutableList<GivenHost> given = hosts(elements.get(), network);
      FanOut.checkIds(given);
      hosts = Optional.of(given);
    }
    return new MptcpRequest(settings(fields), hosts, network);
  }

  private static PlanSettings settings(Fields fields) throws MptcpException {
    return new PlanSettings(
        fields.word("method", PlanRequest.Method.BALANCED),
        fields.word("paths", PlanRequest.PathKind.HAMILTONIAN),
        fields.flag("vlan"),
        vlans(fields),
        fields.word("count", Count.WHOLE) == Count.TRAVELLED,
        pairs(fields),
        fields.word("weights", PlanSettings.Weights.NONE),
        fields.number("seed", 0, Long.MAX_VALUE).orElse(1L));
  }

  private static ImmutableSortedSet<Integer> vlans(Fields fields) throws MptcpException {
    Set<Integer> vlans = new TreeSet<>();
    for (JsonNode element : fields.list("vlans", LAST_VLAN).orElse(List.of())) {
      int vlan = element.asInt(0);
      if (vlan < 1 || vlan > LAST_VLAN) {
        throw MptcpException.invalid(
            "vlans", "vlans: a VLAN is a number from 1 to " + LAST_VLAN + ", not " + element);
      }
      vlans.add(vlan);
    }
    return ImmutableSortedSet.copyOf(vlans);
  }

  private static ImmutableList<PlanSettings.Pair> pairs(Fields fields) throws MptcpException {
    ImmutableList.Builder<PlanSettings.Pair> pairs = ImmutableList.builder();
    List<JsonNode> elements = fields.list("traffic", MOST_PAIRS).orElse(List.of());
    for (int i = 0; i < elements.size(); i++) {
      Fields pair = Fields.of(elements.get(i), "traffic[" + i + "].", PAIR);
      pairs.add(
          new PlanSettings.Pair(
              pair.required("from"), pair.required("to"), pair.positive("weight").orElse(1.0)));
    }
    return pairs.build();
  }

  private static ImmutableList<GivenHost> hosts(
      List<JsonNode> elements, Optional<MptcpRequest.GivenNetwork> network) throws MptcpException {
    Map<String, DatapathId> byName = new HashMap<>();
    network.ifPresent(given -> given.names().forEach((id, name) -> byName.put(name, id)));
    List<GivenHost> hosts = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      hosts.add(host(Fields.of(elements.get(i), "hosts[" + i + "].", HOST), byName));
    }
    return ImmutableList.copyOf(hosts);
  }

  private static GivenHost host(Fields fields, Map<String, DatapathId> names)
      throws MptcpException {
    String[] parts = fields.required("address").split("/", -1);
    IPv4Address address = fields.address("address", parts[0]);
    Optional<Integer> vlan = fields.number("vlan", 1, LAST_VLAN).map(Math::toIntExact);
    Optional<OFPort> port =
        fields.number("port", 1, 0xffffff00L).map(number -> OFPort.of((int) number.longValue()));
    return new GivenHost(
        matching(fields, "id", fields.text("id").orElse(address.toString()), ID),
        address,
        prefixLength(fields, parts),
        vlan,
        tagging(fields, vlan),
        fields.mac("mac"),
        switchId(fields, names),
        port,
        aliases(fields),
        fields.text("device").isPresent()
            ? Optional.of(matching(fields, "device", fields.required("device"), DEVICE))
            : Optional.empty());
  }

  private static String matching(Fields fields, String name, String text, Pattern pattern)
      throws MptcpException {
    if (!pattern.matcher(text).matches()) {
      throw MptcpException.invalid(
          fields.path() + name,
          String.format(
              "%s must be letters, digits and - . _, not \"%s\"", fields.path() + name, text));
    }
    return text;
  }

  private static int prefixLength(Fields fields, String[] parts) throws MptcpException {
    if (parts.length == 1) {
      return DEFAULT_PREFIX;
    }
    if (parts.length == 2 && parts[1].matches("[0-9]{1,2}")) {
      int length = Integer.parseInt(parts[1]);
      if (length >= 1 && length <= 30) {
        return length;
      }
    }
    throw MptcpException.invalid(
        fields.path() + "address",
        fields.path() + "address: a prefix length is from 1 to 30, as in 10.0.0.1/24");
  }

  private static Tagging tagging(Fields fields, Optional<Integer> vlan) throws MptcpException {
    Tagging tagging = fields.word("tagged_by", vlan.isPresent() ? Tagging.HOST : Tagging.NONE);
    if (vlan.isPresent() == (tagging == Tagging.NONE)) {
      throw MptcpException.invalid(
          fields.path() + "tagged_by",
          fields.path() + "tagged_by: who tags is said of hosts with a vlan, and only of those");
    }
    return tagging;
  }

  private static Optional<DatapathId> switchId(Fields fields, Map<String, DatapathId> names)
      throws MptcpException {
    Optional<String> text = fields.text("switch");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    @Nullable DatapathId named = names.get(text.get());
    if (named != null) {
      return Optional.of(named);
    }
    if (!names.isEmpty() && text.get().indexOf(':') < 0) {
      throw MptcpException.unavailable(
          fields.path() + "switch", fields.path() + "switch: there is no switch " + text.get());
    }
    return fields.switchId("switch");
  }

  private static ImmutableList<IPv4Address> aliases(Fields fields) throws MptcpException {
    ImmutableList.Builder<IPv4Address> aliases = ImmutableList.builder();
    for (JsonNode element : fields.list("addresses", FanOut.MOST_ADDRESSES - 1).orElse(List.of())) {
      aliases.add(fields.address("addresses", element.asText()));
    }
    return aliases.build();
  }
}
