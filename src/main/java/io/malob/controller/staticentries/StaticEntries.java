package io.malob.controller.staticentries;

import io.malob.json.RejectedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.U64;

/**
 * The entries, by name, in memory, and their state on the switches. An entry for a switch that is
 * absent, or does not read, waits for it; so does a removal. Safe for use by several threads;
 * nothing here blocks.
 */
final class StaticEntries {
  private static final int MAX_ENTRIES = 10_000;

  private final IOFSwitchService switches;
  private final Map<String, StaticEntry> byName = new LinkedHashMap<>();

  /** How many entries have each cookie; read by all threads. */
  private final Map<U64, Integer> cookies = new ConcurrentHashMap<>();

  /**
   * Pending changes of switches, in strict order: removals for absent switches; also entries for
   * switches that do not read.
   */
  private final Map<DatapathId, Deque<Change>> untaken = new HashMap<>();

  /**
   * A change of a switch's rules.
   *
   * @param adds whether the rule of the entry is added; it is deleted otherwise
   */
  private record Change(StaticEntry entry, boolean adds) {}

  StaticEntries(IOFSwitchService switches) {
    this.switches = switches;
  }

  /**
   * Adds an entry, or replaces the entry of that name; returns whether it was sent to its switch.
   */
  synchronized boolean put(StaticEntry entry) throws RejectedException {
    StaticEntry older = byName.get(entry.name());
    if (older == null && byName.size() >= MAX_ENTRIES) {
      throw RejectedException.invalid("name", "There are " + MAX_ENTRIES + " entries, the maximum");
    }
    byName.put(entry.name(), entry);
    cookies.merge(entry.cookie(), 1, Integer::sum);
    if (older != null) {
      forgetCookie(older);
    }
    boolean told = !entry.active() || write(entry);
    // the new rule exists before the old one is removed, or replaces it: an ADD overwrites
    if (older != null && !(entry.active() && entry.hasSamePlaceAs(older))) {
      takeAway(older);
    }
    return told;
  }

  /**
   * A switch reports the end of a rule, by timeout or otherwise: the entry is removed. A deletion
   * by a command does not count: it comes from this class, or from a module that manages rules
   * independently of the operator. Rules of others cost a look-up of their cookie.
   */
  void ended(DatapathId switchId, OFFlowRemoved removed) throws RejectedException {
    if (removed.getReason() != OFFlowRemovedReason.DELETE
        && cookies.containsKey(removed.getCookie())) {
      forget(switchId, removed);
    }
  }

  private void forgetCookie(StaticEntry entry) throws RejectedException {
    cookies.computeIfPresent(entry.cookie(), (any, count) -> count > 1 ? count - 1 : null);
  }

  private synchronized void forget(DatapathId switchId, OFFlowRemoved removed)
      throws RejectedException {
    for (StaticEntry entry : list(switchId)) {
      if (entry.isRule(removed)) {
        byName.remove(entry.name());
        forgetCookie(entry);
      }
    }
  }

  /** Removes the entry of that name and returns it; empty if there is none. */
  synchronized Optional<StaticEntry> remove(String name) throws RejectedException {
    StaticEntry entry = byName.remove(name);
    if (entry != null) {
      forgetCookie(entry);
      takeAway(entry);
    }
    return Optional.ofNullable(entry);
  }

  /** Removes all entries of a switch, or of all switches if it is null, and returns them. */
  synchronized List<StaticEntry> clear(@Nullable DatapathId switchId) throws RejectedException {
    List<StaticEntry> entries = list(switchId);
    for (StaticEntry entry : entries) {
      remove(entry.name());
    }
    return entries;
  }

  /** The entries of a switch, or of all switches if it is null, oldest first. */
  synchronized List<StaticEntry> list(@Nullable DatapathId switchId) {
    return byName.values().stream()
        .filter(entry -> switchId == null || entry.switchId().equals(switchId))
        .toList();
  }

  /** Updates a switch that has connected or reconnected. */
  synchronized void rewrite(DatapathId switchId) throws RejectedException {
    Deque<Change> changes = new ArrayDeque<>();
    untaken.getOrDefault(switchId, new ArrayDeque<>()).stream()
        .filter(change -> !change.adds())
        .forEach(changes::add);
    list(switchId).stream()
        .filter(StaticEntry::active)
        .forEach(entry -> changes.add(new Change(entry, true)));
    untaken.put(switchId, changes);
    send(switchId);
  }

  /** To be called regularly: switches that did not read may do so again. */
  synchronized void catchUp() throws RejectedException {
    for (DatapathId switchId : List.copyOf(untaken.keySet())) {
      send(switchId);
    }
  }

  /** Whether a connected switch has pending changes of its entries. */
  synchronized boolean isBehind(DatapathId switchId) {
    return untaken.containsKey(switchId) && switches.getActiveSwitch(switchId) != null;
  }

  /**
   * Writes the rule of an entry; returns whether its switch has accepted it. A switch that connects
   * gets all.
   */
  private boolean write(StaticEntry entry) throws RejectedException {
    DatapathId switchId = entry.switchId();
    if (switches.getActiveSwitch(switchId) == null) {
      return false;
    }
    Deque<Change> changes = untaken.computeIfAbsent(switchId, any -> new ArrayDeque<>());
    changes.removeIf(change -> change.adds() && change.entry().name().equals(entry.name()));
    changes.add(new Change(entry, true));
    return send(switchId);
  }

  private void takeAway(StaticEntry entry) throws RejectedException {
    if (!entry.active()) {
      return;
    }
    Deque<Change> changes = untaken.computeIfAbsent(entry.switchId(), any -> new ArrayDeque<>());
    if (changes.size() < MAX_ENTRIES
        || changes.stream().filter(change -> !change.adds()).count() < MAX_ENTRIES) {
      changes.add(new Change(entry, false));
    }
    boolean unused = send(entry.switchId());
  }

  /** Sends the pending changes of a switch, in order; returns whether it has accepted all. */
  private boolean send(DatapathId switchId) throws RejectedException {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    Deque<Change> changes = untaken.get(switchId);
    if (sw == null || changes == null) {
      return changes == null;
    }
    for (Change next = changes.poll(); next != null; next = changes.poll()) {
      StaticEntry entry = next.entry();
      OFFactory factory = sw.getOFFactory();
      if (!sw.write(next.adds() ? entry.add(factory) : entry.delete(factory))) {
        changes.addFirst(next);
        return false;
      }
    }
    untaken.remove(switchId);
    return true;
  }
}
