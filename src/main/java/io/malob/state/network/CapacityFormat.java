package io.malob.state.network;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** The JSON text of all configured capacities. */
final class CapacityFormat {
  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  private CapacityFormat() {}

  static byte[] write(Map<PortId, Double> capacities) throws IOException {
    ObjectNode root = JSON.createObjectNode();
    root.put("version", VERSION);
    ArrayNode list = root.putArray("capacities");
    capacities.forEach(
        (port, bitsPerSecond) -> {
          ObjectNode line = list.addObject();
          line.put("switch", port.switchId().toString());
          line.put("port", port.port().getPortNumber());
          line.put("bits_per_second", bitsPerSecond);
        });
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
  }

  /**
   * The capacities of these bytes.
   *
   * @throws IllegalArgumentException if they are not what {@link #write} makes
   */
  static ImmutableSortedMap<PortId, Double> read(byte[] bytes) throws IOException {
    JsonNode root = parse(bytes);
    JsonNode list = root.path("capacities");
    if (root.path("version").asInt() != VERSION || !list.isArray()) {
      throw new IllegalArgumentException("it has no list of capacities of format " + VERSION);
    }
    Map<PortId, Double> capacities = new TreeMap<>();
    for (JsonNode line : list) {
      double bitsPerSecond = line.path("bits_per_second").asDouble(0);
      PortId port =
          new PortId(
              DatapathId.of(line.path("switch").asText()), OFPort.of(line.path("port").asInt()));
      if (!ConfiguredCapacities.isPossible(bitsPerSecond)
          || capacities.put(port, bitsPerSecond) != null) {
        throw new IllegalArgumentException("the capacity of " + port + " cannot be");
      }
    }
    return ImmutableSortedMap.copyOf(capacities);
  }

  private static JsonNode parse(byte[] bytes) throws IOException {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e.getOriginalMessage(), e);
    }
  }
}
