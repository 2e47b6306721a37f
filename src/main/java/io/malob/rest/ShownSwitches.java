package io.malob.rest;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.SwitchCapability;
import io.malob.capability.SwitchFeature;
import io.malob.capability.TableUse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** Shows what switches can do, and how full their tables are. */
final class ShownSwitches {
  private ShownSwitches() {}

  static List<Object> shown(ISwitchCapabilityService service) {
    ImmutableSortedMap<DatapathId, ImmutableSortedMap<Integer, TableUse>> tables = service.tables();
    List<Object> switches = new ArrayList<>();
    service
        .capabilities()
        .forEach(
            (switchId, capability) ->
                switches.add(
                    line(
                        switchId,
                        capability,
                        tables.getOrDefault(switchId, ImmutableSortedMap.of()))));
    return switches;
  }

  private static Object line(
      DatapathId switchId, SwitchCapability capability, Map<Integer, TableUse> tables) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("switch", switchId.toString());
    line.put("role", capability.roleText());
    line.put("layout", capability.layoutText());
    line.put("source", capability.source().text());
    line.put("ipv6", capability.translatesIpv6());
    line.put("refused", capability.refused().stream().map(SwitchFeature::text).toList());
    List<Object> uses = new ArrayList<>();
    tables.forEach((table, use) -> uses.add(table(table, use)));
    line.put("tables", uses);
    return line;
  }

  private static Object table(int table, TableUse use) {
    OptionalLong max = use.maxRules();
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("table", table);
    line.put("rules", use.rules());
    line.put("max", max.isPresent() ? max.getAsLong() : null);
    return line;
  }
}
