package io.malob.state.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.Map;

/** The JSON text of what a {@link ReplayGuard} remembers. */
public final class GuardFormat {
  private static final ObjectMapper JSON = new ObjectMapper();

  private GuardFormat() {}

  /** The bytes for what is remembered. */
  public static byte[] write(Map<String, ReplayGuard.Memory> memory) throws IOException {
    ObjectNode root = JSON.createObjectNode();
    memory.forEach(
        (id, known) -> {
          ObjectNode agent = root.putObject(id);
          agent.put("boot", known.boot());
          agent.put("sequence", known.sequence());
          agent.put("time_ms", known.timeMillis());
          ArrayNode earlier = agent.putArray("earlier_boots");
          known.earlierBoots().forEach(earlier::add);
        });
    return JSON.writeValueAsBytes(root);
  }

  /**
   * What these bytes say.
   *
   * @throws IOException if they are not what {@link #write} makes
   */
  public static ImmutableMap<String, ReplayGuard.Memory> read(byte[] bytes) throws IOException {
    JsonNode root = parse(bytes);
    if (!root.isObject()) {
      throw new IOException("not a JSON object");
    }
    ImmutableMap.Builder<String, ReplayGuard.Memory> memory = ImmutableMap.builder();
    for (String id : ImmutableList.copyOf(root.fieldNames())) {
      memory.put(id, memory(root.path(id)));
    }
    return memory.build();
  }

  private static JsonNode parse(byte[] bytes) throws IOException {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      // what is nested too deeply is nowhere
      throw new IOException(
          "not valid JSON"
              + (e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr()));
    }
  }

  private static ReplayGuard.Memory memory(JsonNode agent) throws IOException {
    ImmutableList.Builder<String> earlier = ImmutableList.builder();
    agent.path("earlier_boots").forEach(boot -> earlier.add(boot.asText()));
    if (!agent.path("boot").isTextual()
        || !agent.path("sequence").isIntegralNumber()
        || !agent.path("time_ms").isIntegralNumber()) {
      throw new IOException("boot, sequence or time_ms of an agent is missing");
    }
    return new ReplayGuard.Memory(
        agent.path("boot").asText(),
        agent.path("sequence").asLong(),
        agent.path("time_ms").asLong(),
        earlier.build());
  }
}
