package io.malob.controller.staticentries;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.U64;

/**
 * The entries, by name, in memory, and what of them is on the switches. An entry for a switch that
 * is not there waits for it; so does the removal of one. Safe for use by several threads; nothing
 * here blocks.
 */
final class StaticEntries {
  private static final int MOST_ENTRIES = 10_000;

  private final IOFSwitchService switches;
  private final Map<String, StaticEntry> byName = new LinkedHashMap<>();

  /** How many entries have each cookie; read by all threads. */
  private final Map<U64, Integer> cookies = new ConcurrentHashMap<>();

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
    byName.put(entry.name(), entry);
    cookies.merge(entry.cookie(), 1, Integer::sum);
    if (older != null) {
      forgetCookie(older);
    }
    boolean told = !entry.active() || send(entry.switchId(), entry, true);
    // the new rule is there before the old one goes, or in its very place: an ADD replaces it
    if (older != null && !(entry.active() && entry.hasSamePlaceAs(older))) {
      takeAway(older);
    }
    return told;
  }

  /**
   * A switch tells that a rule has ended, by its time-out or otherwise: the entry is no more. What
   * was deleted by a command does not count: that was this class itself, or somebody whose rules
   * come and go without the operator's wish. Rules of others cost a look-up of their cookie.
   */
  void ended(DatapathId switchId, OFFlowRemoved removed) throws WrongFieldException {
    if (removed.getReason() != OFFlowRemovedReason.DELETE
        && cookies.containsKey(removed.getCookie())) {
      forget(switchId, removed);
    }
  }

  private void forgetCookie(StaticEntry entry) throws WrongFieldException {
    cookies.computeIfPresent(entry.cookie(), (any, count) -> count > 1 ? count - 1 : null);
  }

  private synchronized void forget(DatapathId switchId, OFFlowRemoved removed)
      throws WrongFieldException {
    for (StaticEntry entry : list(switchId)) {
      if (entry.isRule(removed)) {
        byName.remove(entry.name());
        forgetCookie(entry);
      }
    }
  }

  /** Removes the entry of that name; false if there is none. */
  synchronized boolean remove(String name) throws WrongFieldException {
    StaticEntry entry = byName.remove(name);
    if (entry == null) {
      return false;
    }
    forgetCookie(entry);
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
