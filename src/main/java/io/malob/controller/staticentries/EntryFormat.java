package io.malob.controller.staticentries;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The document of all static entries, by their names, oldest first. Pure. */
final class EntryFormat {
  private static final String ENTRIES = "entries";

  private EntryFormat() {}

  /** The entries as JSON. */
  static byte[] write(Map<String, StaticEntry> entries) {
    ObjectNode root = Json.object();
    ArrayNode array = root.putArray(ENTRIES);
    for (StaticEntry entry : entries.values()) {
      ObjectNode fields = array.addObject();
      entry.fields().forEach(fields::put);
    }
    return Json.bytes(root);
  }

  /**
   * Reads these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   */
  static ImmutableMap<String, StaticEntry> read(byte[] bytes) throws DamagedException {
    Map<String, StaticEntry> entries = new LinkedHashMap<>();
    for (JsonInput<DamagedException> each : StateFile.parse(bytes).get(ENTRIES).elements()) {
      try {
        StaticEntry entry = StaticEntry.of(StaticEntry.strings(each));
        if (entries.put(entry.name(), entry) != null) {
          throw DamagedException.at(each, "has a name that an earlier entry has");
        }
      } catch (RejectedException e) {
        throw DamagedException.at(each, "is no entry: " + Objects.toString(e.getMessage()));
      }
    }
    return ImmutableMap.copyOf(entries);
  }
}
