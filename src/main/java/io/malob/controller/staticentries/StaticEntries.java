package io.malob.controller.staticentries;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The entries, by name, in memory, and what of them is on the switches. An entry for a switch that
 * is not there waits for it; so does the removal of one. Safe for use by several threads; nothing
 * here blocks.
 */
final class StaticEntries {
  private static final int MOST_ENTRIES = 10_000;

  private final IOFSwitchService switches;
  private final Map<String, StaticEntry> byName = new LinkedHashMap<>();

  /** Entries that are no more, but may still be on a switch that is away. */
  private final Map<DatapathId, List<StaticEntry>> leftOver = new HashMap<>();

  StaticEntries(IOFSwitchService switches) {
    this.switches = switches;
  }

  /** Adds an entry in place of the one of that name; whether its switch has been told. */
  synchronized boolean put(StaticEntry entry) throws WrongFieldException {
    StaticEntry older = byName.get(entry.name());
    if (older == null && byName.size() >= MOST_ENTRIES) {
      throw new WrongFieldException(
          "name", "There are " + MOST_ENTRIES + " entries already, and no more can be kept");
    }
    if (older != null) {
      takeAway(older);
    }
    byName.put(entry.name(), entry);
    return !entry.active() || send(entry.switchId(), entry, true);
  }

  /** Removes the entry of that name; false if there is none. */
  synchronized boolean remove(String name) throws WrongFieldException {
    StaticEntry entry = byName.remove(name);
    if (entry == null) {
      return false;
    }
    takeAway(entry);
    return true;
  }

  /** Removes all entries of a switch, or of all switches if it is null; how many they were. */
  synchronized int clear(@Nullable DatapathId switchId) throws WrongFieldException {
    List<StaticEntry> entries = list(switchId);
    for (StaticEntry entry : entries) {
      remove(entry.name());
    }
    return entries.size();
  }

  /** The entries of a switch, or of all switches if it is null, oldest first. */
  synchronized List<StaticEntry> list(@Nullable DatapathId switchId) {
    return byName.values().stream()
        .filter(entry -> switchId == null || entry.switchId().equals(switchId))
        .toList();
  }

  /** Brings a switch that has come, or come back, up to date. */
  synchronized void rewrite(DatapathId switchId) throws WrongFieldException {
    List<StaticEntry> gone = leftOver.remove(switchId);
    if (gone != null) {
      for (StaticEntry entry : gone) {
        takeAway(entry);
      }
    }
    for (StaticEntry entry : list(switchId)) {
      if (entry.active()) {
        send(switchId, entry, true);
      }
    }
  }

  private void takeAway(StaticEntry entry) throws WrongFieldException {
    if (entry.active() && !send(entry.switchId(), entry, false)) {
      List<StaticEntry> waiting =
          leftOver.computeIfAbsent(entry.switchId(), any -> new ArrayList<>());
      if (waiting.size() < MOST_ENTRIES) {
        waiting.add(entry);
      }
    }
  }

  private boolean send(DatapathId switchId, StaticEntry entry, boolean add)
      throws WrongFieldException {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw == null) {
      return false;
    }
    OFMessage message = add ? entry.add(sw.getOFFactory()) : entry.delete(sw.getOFFactory());
    return sw.write(message);
  }
}
