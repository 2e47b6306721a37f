package io.malob.controller.staticentries;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * All static entries, oldest first. Immutable.
 *
 * @param byName the entries by their names
 */
record EntryTable(ImmutableMap<String, StaticEntry> byName) {
  static final EntryTable EMPTY = new EntryTable(ImmutableMap.of());

  private static final String ENTRIES = "entries";

  int size() {
    return byName.size();
  }

  /** The entry of this name. */
  Optional<StaticEntry> get(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  Collection<StaticEntry> all() {
    return byName.values();
  }

  /** The entries of a switch, or of all switches if it is null. */
  List<StaticEntry> of(@Nullable DatapathId switchId) {
    return byName.values().stream()
        .filter(entry -> switchId == null || entry.switchId().equals(switchId))
        .toList();
  }

  /** With this entry, in the place of the one of the same name. */
  EntryTable with(StaticEntry entry) {
    Map<String, StaticEntry> more = new LinkedHashMap<>(byName);
    more.put(entry.name(), entry);
    return new EntryTable(ImmutableMap.copyOf(more));
  }

  /** Without the entry of this name. */
  EntryTable without(String name) {
    Map<String, StaticEntry> others = new LinkedHashMap<>(byName);
    others.remove(name);
    return new EntryTable(ImmutableMap.copyOf(others));
  }

  /** Without the entries of a switch, or of all switches if it is null. */
  EntryTable without(@Nullable DatapathId switchId) {
    Map<String, StaticEntry> others = new LinkedHashMap<>(byName);
    others.values().removeAll(of(switchId));
    return new EntryTable(ImmutableMap.copyOf(others));
  }

  /** The table as JSON. */
  static byte[] write(EntryTable table) {
    ObjectNode root = Json.object();
    ArrayNode entries = root.putArray(ENTRIES);
    for (StaticEntry entry : table.all()) {
      ObjectNode fields = entries.addObject();
      entry.fields().forEach(fields::put);
    }
    return Json.bytes(root);
  }

  /**
   * Reads these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   */
  static EntryTable read(byte[] bytes) throws DamagedException {
    Map<String, StaticEntry> entries = new LinkedHashMap<>();
    for (JsonInput<DamagedException> each : StateFile.parse(bytes).get(ENTRIES).elements()) {
      Map<String, String> fields = new LinkedHashMap<>();
      for (Map.Entry<String, JsonInput<DamagedException>> field : each.fields().entrySet()) {
        fields.put(field.getKey(), field.getValue().text());
      }
      try {
        StaticEntry entry = StaticEntry.of(fields);
        if (entries.put(entry.name(), entry) != null) {
          throw DamagedException.at(each, "has a name that an earlier entry has");
        }
      } catch (RejectedException e) {
        throw DamagedException.at(each, "is no entry: " + Objects.toString(e.getMessage()));
      }
    }
    return new EntryTable(ImmutableMap.copyOf(entries));
  }
}
