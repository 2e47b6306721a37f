package io.malob.state.report;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import java.util.Map;

/** The JSON text of the memory of a {@link ReplayGuard}. */
public final class GuardFormat {

  private GuardFormat() {}

  /** The bytes of a memory. */
  public static byte[] write(Map<String, ReplayGuard.Memory> memory) {
    return Json.bytes(memory);
  }

  /**
   * Reads these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   */
  public static ImmutableMap<String, ReplayGuard.Memory> read(byte[] bytes)
      throws DamagedException {
    ImmutableMap.Builder<String, ReplayGuard.Memory> memory = ImmutableMap.builder();
    for (Map.Entry<String, JsonInput<DamagedException>> agent :
        StateFile.parse(bytes).fields().entrySet()) {
      memory.put(agent.getKey(), memory(agent.getValue()));
    }
    return memory.build();
  }

  private static ReplayGuard.Memory memory(JsonInput<DamagedException> agent)
      throws DamagedException {
    JsonInput<DamagedException> boots = agent.get("earlier_boots");
    return new ReplayGuard.Memory(
        agent.get("boot").string(),
        agent.get("sequence").whole(Long.MIN_VALUE, Long.MAX_VALUE),
        agent.get("time_ms").whole(Long.MIN_VALUE, Long.MAX_VALUE),
        boots.isThere() ? boots.elements(JsonInput::string) : ImmutableList.of());
  }
}
