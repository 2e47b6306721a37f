package io.malob.state.network;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** The JSON text of all configured capacities. */
final class CapacityFormat {
  private static final int VERSION = 1;

  private CapacityFormat() {}

  static byte[] write(Map<PortId, Double> capacities) {
    List<Map<String, @Nullable Object>> lines = new ArrayList<>();
    capacities.forEach(
        (port, bitsPerSecond) ->
            lines.add(
                Json.fields(
                    "switch", port.switchId(),
                    "port", port.port().getPortNumber(),
                    "bits_per_second", bitsPerSecond)));
    return Json.indentedBytes(Json.fields("version", VERSION, "capacities", lines));
  }

  /**
   * The capacities of these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   */
  static ImmutableSortedMap<PortId, Double> read(byte[] bytes) throws DamagedException {
    JsonInput<DamagedException> root = StateFile.parse(bytes);
    root.get("version").whole(VERSION, VERSION);
    Map<PortId, Double> capacities = new TreeMap<>();
    for (JsonInput<DamagedException> line : root.get("capacities").elements()) {
      double bitsPerSecond = line.get("bits_per_second").anyNumber();
      if (!ConfiguredCapacities.isPossible(bitsPerSecond)) {
        throw DamagedException.at(line.get("bits_per_second"), "is not valid");
      }
      PortId port =
          new PortId(
              line.get("switch").parsed("a datapath id", DatapathId::of),
              OFPort.of(line.get("port").whole(Integer.MIN_VALUE, Integer.MAX_VALUE)));
      if (capacities.put(port, bitsPerSecond) != null) {
        throw DamagedException.at(line, "is for a port that is already listed");
      }
    }
    return ImmutableSortedMap.copyOf(capacities);
  }
}
