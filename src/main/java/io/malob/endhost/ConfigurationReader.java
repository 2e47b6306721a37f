package io.malob.endhost;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.malob.json.Json;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Reads what operators send. What is wrong is an error that names the field. Pure. */
final class ConfigurationReader {
  /** More than a host has; numbers of uplinks in cookies are below 256. */
  private static final int MOST_UPLINKS = 64;

  private static final long MOST_BPS = 1_000_000_000_000L;

  private ConfigurationReader() {}

  /**
   * The whole configuration.
   *
   * @param algorithm what counts if it names none
   */
  static HostNetwork network(byte[] body, String algorithm) throws EndhostException {
    JsonFields fields =
        JsonFields.of(
            parsed(body), "", Set.of("switch", "algorithm", "default_uplink", "inside", "uplinks"));
    ImmutableList<Uplink> uplinks = uplinks(fields);
    Optional<String> defaultUplink = fields.text("default_uplink");
    if (defaultUplink.isPresent()
        && uplinks.stream().noneMatch(each -> each.name().equals(defaultUplink.get()))) {
      throw EndhostException.invalid(
          "default_uplink",
          "default_uplink must be the name of an uplink, not \"" + defaultUplink.get() + "\"");
    }
    Optional<String> named = fields.text("algorithm");
    return new HostNetwork(
        fields.required("switch", "a datapath id", DatapathId::of),
        inside(fields.object("inside")),
        named.isPresent() ? algorithm(named.get()) : algorithm,
        defaultUplink,
        uplinks);
  }

  private static Inside inside(JsonNode node) throws EndhostException {
    JsonFields fields =
        JsonFields.of(
            node,
            "inside.",
            Set.of("port", "mac", "gateway_mac", "ipv4", "gateway_ipv4", "ipv6", "gateway_ipv6"));
    return new Inside(
        fields.required("port"),
        fields.required("mac", "a MAC address", MacAddress::of),
        fields.required("gateway_mac", "a MAC address", MacAddress::of),
        fields.required("ipv4", "an IPv4 address", IPv4Address::of),
        fields.required("gateway_ipv4", "an IPv4 address", IPv4Address::of),
        fields.parsed("ipv6", "an IPv6 address", IPv6Address::of),
        fields.parsed("gateway_ipv6", "an IPv6 address", IPv6Address::of));
  }

  private static ImmutableList<Uplink> uplinks(JsonFields all) throws EndhostException {
    JsonNode list = all.list("uplinks", MOST_UPLINKS);
    ImmutableList.Builder<Uplink> uplinks = ImmutableList.builder();
    Set<String> names = new HashSet<>();
    Set<String> ports = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      String path = "uplinks[" + i + "].";
      Uplink uplink = uplink(list.get(i), path);
      if (!names.add(uplink.name())) {
        throw EndhostException.invalid(
            path + "name", path + "name is that of another uplink: \"" + uplink.name() + "\"");
      }
      if (!ports.add(uplink.port())) {
        throw EndhostException.invalid(
            path + "port", path + "port is that of another uplink: \"" + uplink.port() + "\"");
      }
      uplinks.add(uplink);
    }
    return uplinks.build();
  }

  private static Uplink uplink(JsonNode node, String path) throws EndhostException {
    JsonFields fields =
        JsonFields.of(
            node,
            path,
            Set.of(
                "name", "port", "mac", "weight", "ipv4", "gateway_ipv4", "ipv6", "gateway_ipv6"));
    return new Uplink(
        fields.required("name"),
        fields.required("port"),
        fields.required("mac", "a MAC address", MacAddress::of),
        fields.number("weight", 0, 1e9).orElse(0.0),
        fields.parsed("ipv4", "an IPv4 address", IPv4Address::of),
        fields.parsed("gateway_ipv4", "an IPv4 address", IPv4Address::of),
        fields.parsed("ipv6", "an IPv6 address", IPv6Address::of),
        fields.parsed("gateway_ipv6", "an IPv6 address", IPv6Address::of));
  }

  /** The rule to choose uplinks by. */
  static String algorithm(byte[] body) throws EndhostException {
    return algorithm(JsonFields.of(parsed(body), "", Set.of("algorithm")).required("algorithm"));
  }

  private static String algorithm(String name) throws EndhostException {
    if (!UplinkChoice.NAMES.contains(name)) {
      throw EndhostException.invalid(
          "algorithm",
          String.format(
              "algorithm must be one of %s, not \"%s\"",
              String.join(", ", UplinkChoice.NAMES), name));
    }
    return name;
  }

  /** What an uplink can carry, in bit/s; empty: it is to be measured again. */
  static OptionalLong capacity(byte[] body) throws EndhostException {
    JsonNode node = parsed(body);
    JsonFields fields = JsonFields.of(node, "", Set.of("capacity_bps"));
    if (!node.has("capacity_bps")) {
      throw EndhostException.invalid(
          "capacity_bps", "capacity_bps is required: a number, or null to measure it again");
    }
    Optional<Double> bps = fields.number("capacity_bps", 0, MOST_BPS);
    return bps.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Math.round(bps.get()));
  }

  private static JsonNode parsed(byte[] body) throws EndhostException {
    try {
      return Json.read(body);
    } catch (JsonProcessingException e) {
      throw EndhostException.malformed("the body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory cannot be read", e);
    }
  }
}
