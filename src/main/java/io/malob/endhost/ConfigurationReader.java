package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Reads the documents of operators. Errors name the field. Pure. */
final class ConfigurationReader {
  /** The max number of uplinks; their numbers in cookies are below 256. */
  private static final int MAX_UPLINKS = 64;

  private static final int MAX_RACE_PORTS = 64;

  private static final long MAX_BPS = 1_000_000_000_000L;
  private static final double MAX_WEIGHT = 1e9;

  private static final ImmutableSet<String> NETWORK =
      ImmutableSet.of("switch", "algorithm", "default_uplink", "race_ports", "inside", "uplinks");
  private static final ImmutableSet<String> INSIDE =
      ImmutableSet.of("port", "mac", "gateway_mac", "ipv4", "gateway_ipv4", "ipv6", "gateway_ipv6");
  private static final ImmutableSet<String> UPLINK =
      ImmutableSet.of(
          "name", "port", "mac", "weight", "ipv4", "gateway_ipv4", "ipv6", "gateway_ipv6");
  private static final ImmutableSet<String> ALGORITHM = ImmutableSet.of("algorithm");
  private static final ImmutableSet<String> CAPACITY = ImmutableSet.of("capacity_bps");

  private ConfigurationReader() {}

  /**
   * The whole configuration.
   *
   * @param algorithm the default
   */
  static HostNetwork network(byte[] body, String algorithm) throws RejectedException {
    JsonInput<RejectedException> fields = JsonInput.ofRequest(body).only(NETWORK);
    ImmutableList<Uplink> uplinks = uplinks(fields.get("uplinks"));
    JsonInput<RejectedException> defaultUplink = fields.get("default_uplink");
    return new HostNetwork(
        fields.get("switch").parsed("a datapath id", DatapathId::of),
        inside(fields.get("inside").only(INSIDE)),
        fields.get("algorithm").optional(ConfigurationReader::algorithm).orElse(algorithm),
        defaultUplink.optional(value -> value.oneOf(uplinks.stream().map(Uplink::name).toList())),
        fields.get("race_ports").optional(ConfigurationReader::ports).orElse(ImmutableSet.of()),
        uplinks);
  }

  private static ImmutableSet<Integer> ports(JsonInput<RejectedException> array)
      throws RejectedException {
    ImmutableSet.Builder<Integer> ports = ImmutableSet.builder();
    for (JsonInput<RejectedException> element : array.elements(MAX_RACE_PORTS)) {
      ports.add(element.whole(1, 65_535));
    }
    return ports.build();
  }

  private static Inside inside(JsonInput<RejectedException> fields) throws RejectedException {
    return new Inside(
        fields.get("port").string(),
        mac(fields.get("mac")),
        mac(fields.get("gateway_mac")),
        ipv4(fields.get("ipv4")),
        ipv4(fields.get("gateway_ipv4")),
        fields.get("ipv6").optional(ConfigurationReader::ipv6),
        fields.get("gateway_ipv6").optional(ConfigurationReader::ipv6));
  }

  private static ImmutableList<Uplink> uplinks(JsonInput<RejectedException> array)
      throws RejectedException {
    ImmutableList.Builder<Uplink> uplinks = ImmutableList.builder();
    Set<String> names = new HashSet<>();
    Set<String> ports = new HashSet<>();
    for (JsonInput<RejectedException> element : array.elements(MAX_UPLINKS)) {
      Uplink uplink = uplink(element.only(UPLINK));
      if (!names.add(uplink.name())) {
        throw ofAnother(element.placeOf("name"), uplink.name());
      }
      if (!ports.add(uplink.port())) {
        throw ofAnother(element.placeOf("port"), uplink.port());
      }
      uplinks.add(uplink);
    }
    return uplinks.build();
  }

  private static RejectedException ofAnother(String place, String text) {
    return RejectedException.invalid(place, place + " belongs to another uplink: \"" + text + "\"");
  }

  private static Uplink uplink(JsonInput<RejectedException> fields) throws RejectedException {
    return new Uplink(
        fields.get("name").string(),
        fields.get("port").string(),
        mac(fields.get("mac")),
        fields.get("weight").optional(value -> value.number(0, MAX_WEIGHT)).orElse(0.0),
        fields.get("ipv4").optional(ConfigurationReader::ipv4),
        fields.get("gateway_ipv4").optional(ConfigurationReader::ipv4),
        fields.get("ipv6").optional(ConfigurationReader::ipv6),
        fields.get("gateway_ipv6").optional(ConfigurationReader::ipv6));
  }

  private static MacAddress mac(JsonInput<RejectedException> value) throws RejectedException {
    return value.parsed("a MAC address", MacAddress::of);
  }

  private static IPv4Address ipv4(JsonInput<RejectedException> value) throws RejectedException {
    return value.parsed("an IPv4 address", IPv4Address::of);
  }

  private static IPv6Address ipv6(JsonInput<RejectedException> value) throws RejectedException {
    return value.parsed("an IPv6 address", IPv6Address::of);
  }

  /** The rule to choose uplinks by. */
  static String algorithm(byte[] body) throws RejectedException {
    return algorithm(JsonInput.ofRequest(body).only(ALGORITHM).get("algorithm"));
  }

  private static String algorithm(JsonInput<RejectedException> value) throws RejectedException {
    return value.oneOf(UplinkChoice.NAMES);
  }

  /** The capacity of an uplink, in bit/s; empty: measure it again. */
  static OptionalLong capacity(byte[] body) throws RejectedException {
    JsonInput<RejectedException> bps = JsonInput.ofRequest(body).only(CAPACITY).get("capacity_bps");
    return bps.isNull()
        ? OptionalLong.empty()
        : OptionalLong.of(Math.round(bps.number(0, MAX_BPS)));
  }
}
