package io.malob.simulation.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One of the emulated networks, from its topology file: switches, links with capacities, clients
 * and servers. Immutable.
 *
 * @param switches by name
 * @param topology switches and links; ports are numbered in the order of the file
 * @param links the properties of each link
 * @param clients hosts with the role of a client, in the order of the file
 * @param servers hosts with the role of a server, in the order of the file
 */
public record LabNetwork(
    ImmutableMap<String, DatapathId> switches,
    Topology topology,
    ImmutableMap<DirectedLink, LinkLimits> links,
    ImmutableList<Host> clients,
    ImmutableList<Host> servers) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double MBPS = 1e6;
  private static final double MILLISECOND = 1e6;

  /**
   * The properties of one direction of a link.
   *
   * @param capacityBps its capacity, in bit/s
   * @param latencyNanos how long a bit takes from end to end; 0 if the file has no delay
   */
  public record LinkLimits(double capacityBps, long latencyNanos) {}

  /**
   * A client or a server.
   *
   * @param name its name in the file
   * @param switchId where it is attached
   * @param address its IPv4 address
   */
  public record Host(String name, DatapathId switchId, IPv4Address address) {}

  /**
   * The network of a file of {@code scripts/lab/topologies}.
   *
   * @param name the file's name without {@code .json}
   * @return empty if there is no such file
   * @throws IllegalArgumentException if it has a link without rate
   */
  public static Optional<LabNetwork> named(String name) throws IOException {
    try (InputStream file = LabNetwork.class.getResourceAsStream("/topologies/" + name + ".json")) {
      return file == null ? Optional.empty() : Optional.of(read(JSON.readTree(file)));
    }
  }

  /**
   * The network that a document of that format describes.
   *
   * @throws IllegalArgumentException if it has a link without rate, or an unknown switch
   */
  public static LabNetwork read(JsonNode file) {
    Map<String, DatapathId> switches = new LinkedHashMap<>();
    file.path("switches")
        .properties()
        .forEach(entry -> switches.put(entry.getKey(), DatapathId.of(entry.getValue().asText())));
    ImmutableMap<DirectedLink, LinkLimits> links = links(file.path("links"), switches);
    return new LabNetwork(
        ImmutableMap.copyOf(switches),
        Topology.of(switches.values(), links.keySet()),
        links,
        hosts(file.path("hosts"), "client", switches),
        hosts(file.path("hosts"), "server", switches));
  }

  private static ImmutableMap<DirectedLink, LinkLimits> links(
      JsonNode lines, Map<String, DatapathId> switches) {
    ImmutableMap.Builder<DirectedLink, LinkLimits> links = ImmutableMap.builder();
    Map<DatapathId, Integer> ports = new HashMap<>();
    for (JsonNode line : lines) {
      DatapathId a = known(switches, line.path("ends").path(0));
      DatapathId b = known(switches, line.path("ends").path(1));
      OFPort atA = OFPort.of(ports.merge(a, 1, Integer::sum));
      OFPort atB = OFPort.of(ports.merge(b, 1, Integer::sum));
      links.put(new DirectedLink(a, atA, b, atB), limits(line, 0));
      links.put(new DirectedLink(b, atB, a, atA), limits(line, 1));
    }
    return links.buildOrThrow();
  }

  private static LinkLimits limits(JsonNode line, int direction) {
    return new LinkLimits(
        rate(line, direction) * MBPS,
        Math.round(value(line, "delay_ms", direction).asDouble(0) * MILLISECOND));
  }

  private static double rate(JsonNode line, int direction) {
    JsonNode rate = value(line, "rate_mbps", direction);
    if (!rate.isNumber()) {
      throw new IllegalArgumentException("the link " + line.path("ends") + " has no rate_mbps");
    }
    return rate.asDouble();
  }

  /** A value of a link: one for both directions, or one for each. */
  private static JsonNode value(JsonNode line, String field, int direction) {
    JsonNode value = line.path(field);
    return value.isArray() ? value.path(direction) : value;
  }

  private static ImmutableList<Host> hosts(
      JsonNode hosts, String role, Map<String, DatapathId> switches) {
    ImmutableList.Builder<Host> found = ImmutableList.builder();
    hosts
        .properties()
        .forEach(
            entry -> {
              JsonNode host = entry.getValue();
              if (host.path("role").asText().equals(role)) {
                String address = host.path("ip").asText().replaceFirst("/.*", "");
                found.add(
                    new Host(
                        entry.getKey(),
                        known(switches, host.path("switch")),
                        IPv4Address.of(address)));
              }
            });
    return found.build();
  }

  private static DatapathId known(Map<String, DatapathId> switches, JsonNode name) {
    return Optional.ofNullable(switches.get(name.asText()))
        .orElseThrow(() -> new IllegalArgumentException("there is no switch " + name));
  }

  /** The same with all rates multiplied. */
  public LabNetwork scaled(double factor) {
    ImmutableMap.Builder<DirectedLink, LinkLimits> scaled = ImmutableMap.builder();
    links.forEach(
        (link, limits) ->
            scaled.put(link, new LinkLimits(limits.capacityBps() * factor, limits.latencyNanos())));
    return new LabNetwork(switches, topology, scaled.buildOrThrow(), clients, servers);
  }

  /** The network without load, whose links are all known. */
  NetworkSnapshot idle() {
    Map<DirectedLink, LinkValue> values =
        Maps.transformValues(
            links,
            limits ->
                new LinkValue(
                    OptionalLong.of(limits.latencyNanos()),
                    OptionalDouble.of(limits.capacityBps()),
                    OptionalDouble.of(limits.capacityBps())));
    return new NetworkSnapshot(
        LinkValues.of(topology, values, new LinkLoads(), Counting.MEASURED_ONLY));
  }

  /** The properties of a link. */
  public LinkLimits limits(DirectedLink link) {
    return Objects.requireNonNull(links.get(link), () -> link + " is not in the network");
  }

  /** A switch by its name, or by its datapath id; empty if there is none. */
  public Optional<DatapathId> switchNamed(String name) {
    return switches.entrySet().stream()
        .filter(entry -> entry.getKey().equals(name) || entry.getValue().toString().equals(name))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** A host by its name; empty if there is none. */
  public Optional<Host> host(String name) {
    return Stream.concat(clients.stream(), servers.stream())
        .filter(host -> host.name().equals(name))
        .findFirst();
  }

  /** The latency of a path, in nanoseconds. */
  public long latencyNanos(Path path) {
    return path.links().stream().mapToLong(link -> limits(link).latencyNanos()).sum();
  }
}
