package io.malob.controller.staticentries;

import io.malob.json.RejectedException;
import io.malob.store.Document;
import io.malob.store.NotStored;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.Swap;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries in a store, and their state on the switches. Each controller writes the rules of the
 * switches that it is master of. An entry waits for a switch that is absent, has another master, or
 * does not read; so does a removal.
 *
 * <p>Thread-safe. Changes wait for the store, one after the other; nothing else waits for it.
 */
final class StaticEntries {
  private static final Logger logger = LoggerFactory.getLogger(StaticEntries.class);
  private static final int MAX_ENTRIES = 10_000;

  private static final Document<EntryTable> DOCUMENT =
      Document.of("static-entries", EntryTable::read, EntryTable::write);

  private final IOFSwitchService switches;
  private final Store store;

  /** Held by the change that waits for the store. */
  private final Object changing = new Object();

  /** The entries that the rules follow; written under the monitor. */
  private volatile Revisioned<EntryTable> stored;

  /** How many entries have each cookie; read by all threads. */
  private final Map<U64, Integer> cookies = new ConcurrentHashMap<>();

  /** How many active entries have each place. */
  private final Map<StaticEntry.Place, Integer> places = new HashMap<>();

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

  /** A change of the entries, to be made again if another controller was first. */
  private interface Edit {
    EntryTable of(EntryTable before) throws RejectedException;
  }

  /**
   * The entries of a store.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  StaticEntries(IOFSwitchService switches, Store store) throws IOException {
    this.switches = switches;
    this.store = store;
    Revisioned<EntryTable> found = store.read(DOCUMENT);
    stored = new Revisioned<>(-1, Optional.empty());
    take(found);
  }

  /** Follows the changes of other controllers from now on. */
  void follow() {
    Store.Watch unused =
        store.watch(
            DOCUMENT,
            stored,
            Store.Listener.of(
                this::take,
                why ->
                    logger.error(
                        "static_entries_not_read why=\"{}\" - the earlier entries stay in effect",
                        why.getMessage())));
  }

  private static EntryTable table(Revisioned<EntryTable> revision) {
    return revision.content().orElse(EntryTable.EMPTY);
  }

  /**
   * Adds an entry, or replaces the entry of that name; returns whether its switch has accepted it
   * from this controller.
   */
  boolean put(StaticEntry entry) throws RejectedException {
    EntryTable unused =
        change(
            before -> {
              if (before.get(entry.name()).isEmpty() && before.size() >= MAX_ENTRIES) {
                throw RejectedException.invalid(
                    "name", "There are " + MAX_ENTRIES + " entries, the maximum");
              }
              return before.with(entry);
            });
    return !entry.active() || isTaken(entry.switchId());
  }

  private synchronized boolean isTaken(DatapathId switchId) {
    return switches.getActiveSwitch(switchId) != null && !untaken.containsKey(switchId);
  }

  /** Makes a change, and lets the rules follow it; returns the entries before it. */
  private EntryTable change(Edit edit) throws RejectedException {
    synchronized (changing) {
      while (true) {
        Revisioned<EntryTable> before = stored;
        EntryTable after = edit.of(table(before));
        try {
          if (!after.equals(table(before))) {
            Swap<EntryTable> swap = store.compareAndSet(DOCUMENT, before, Optional.of(after));
            take(swap.now());
            if (swap.isDone()) {
              return table(before);
            }
          } else {
            // another controller may have added the entry a moment ago
            Revisioned<EntryTable> now = store.read(DOCUMENT);
            take(now);
            if (now.revision() <= before.revision()) {
              return after;
            }
          }
        } catch (IOException e) {
          throw NotStored.rejection("the entries could not be stored; the log says why", e);
        }
      }
    }
  }

  /**
   * Lets the rules follow the entries. The store may report a change before or after the method
   * that makes it returns.
   */
  private synchronized void take(Revisioned<EntryTable> now) {
    if (now.revision() <= stored.revision()) {
      return;
    }
    EntryTable before = table(stored);
    EntryTable after = table(now);
    stored = now;
    after.all().stream()
        .filter(entry -> !Optional.of(entry).equals(before.get(entry.name())))
        .forEach(entry -> replace(before.get(entry.name()), entry));
    before.all().stream()
        .filter(entry -> after.get(entry.name()).isEmpty())
        .forEach(
            entry -> {
              count(entry, -1);
              takeAway(entry);
            });
  }

  private void replace(Optional<StaticEntry> older, StaticEntry entry) {
    count(entry, 1);
    older.ifPresent(each -> count(each, -1));
    if (entry.active()) {
      write(entry);
    }
    // the new rule exists before the old one is removed, or replaces it: an ADD overwrites
    if (older.isPresent() && !(entry.active() && entry.place().equals(older.get().place()))) {
      takeAway(older.get());
    }
  }

  private void count(StaticEntry entry, int more) {
    count(cookies, entry.cookie(), more);
    if (entry.active()) {
      count(places, entry.place(), more);
    }
  }

  private static <K> void count(Map<K, Integer> counts, K key, int more) {
    counts.compute(
        key,
        (any, count) -> {
          int now = (count == null ? 0 : count) + more;
          return now == 0 ? null : now;
        });
  }

  /**
   * A switch reports the end of a rule, by timeout or otherwise. A deletion by a command does not
   * count: it comes from this class, or from a module that manages rules independently of the
   * operator. Rules of others cost a look-up of their cookie.
   *
   * @return whether it may be an entry's, so that {@link #forget} is due
   */
  boolean mayHaveEnded(OFFlowRemoved removed) {
    return removed.getReason() != OFFlowRemovedReason.DELETE
        && cookies.containsKey(removed.getCookie());
  }

  /** Removes the entries whose rule has ended. */
  void forget(DatapathId switchId, OFFlowRemoved removed) throws RejectedException {
    EntryTable unused =
        change(
            before -> {
              EntryTable after = before;
              for (StaticEntry entry : before.of(switchId)) {
                if (entry.isRule(removed)) {
                  after = after.without(entry.name());
                }
              }
              return after;
            });
  }

  /** Removes the entry of that name and returns it; empty if there is none. */
  Optional<StaticEntry> remove(String name) throws RejectedException {
    return change(before -> before.without(name)).get(name);
  }

  /** Removes all entries of a switch, or of all switches if it is null, and returns them. */
  List<StaticEntry> clear(@Nullable DatapathId switchId) throws RejectedException {
    return change(before -> before.without(switchId)).of(switchId);
  }

  /** The entries of a switch, or of all switches if it is null, oldest first. */
  List<StaticEntry> list(@Nullable DatapathId switchId) {
    return table(stored).of(switchId);
  }

  /**
   * Updates a switch that this controller has become master of. Removals of rules whose place
   * another entry has by now are dropped: its rule replaces them without a gap.
   */
  synchronized void rewrite(DatapathId switchId) {
    Deque<Change> changes = new ArrayDeque<>();
    untaken.getOrDefault(switchId, new ArrayDeque<>()).stream()
        .filter(change -> !change.adds() && !places.containsKey(change.entry().place()))
        .forEach(changes::add);
    list(switchId).stream()
        .filter(StaticEntry::active)
        .forEach(entry -> changes.add(new Change(entry, true)));
    untaken.put(switchId, changes);
    send(switchId);
  }

  /** To be called regularly: switches that did not read may do so again. */
  synchronized void catchUp() {
    List.copyOf(untaken.keySet()).forEach(this::send);
  }

  /** Whether a connected switch has pending changes of its entries. */
  synchronized boolean isBehind(DatapathId switchId) {
    return untaken.containsKey(switchId) && switches.getActiveSwitch(switchId) != null;
  }

  /** Writes the rule of an entry. A switch that connects gets all. */
  private void write(StaticEntry entry) {
    DatapathId switchId = entry.switchId();
    if (switches.getActiveSwitch(switchId) == null) {
      return;
    }
    Deque<Change> changes = untaken.computeIfAbsent(switchId, any -> new ArrayDeque<>());
    changes.removeIf(change -> change.adds() && change.entry().name().equals(entry.name()));
    changes.add(new Change(entry, true));
    send(switchId);
  }

  private void takeAway(StaticEntry entry) {
    if (!entry.active()) {
      return;
    }
    if (places.containsKey(entry.place())) {
      // another entry has the same place: its rule replaces this one
      list(entry.switchId()).stream()
          .filter(other -> other.active() && other.place().equals(entry.place()))
          .forEach(this::write);
      return;
    }
    Deque<Change> changes = untaken.computeIfAbsent(entry.switchId(), any -> new ArrayDeque<>());
    if (changes.size() < MAX_ENTRIES
        || changes.stream().filter(change -> !change.adds()).count() < MAX_ENTRIES) {
      changes.add(new Change(entry, false));
    }
    send(entry.switchId());
  }

  /** Sends the pending changes of a switch, in order, as far as it accepts them. */
  private void send(DatapathId switchId) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    Deque<Change> changes = untaken.get(switchId);
    if (sw == null || changes == null) {
      return;
    }
    for (Change next = changes.poll(); next != null; next = changes.poll()) {
      if (!isAccepted(sw, next)) {
        changes.addFirst(next);
        return;
      }
    }
    untaken.remove(switchId);
  }

  private static boolean isAccepted(IOFSwitch sw, Change change) {
    try {
      OFFactory factory = sw.getOFFactory();
      StaticEntry entry = change.entry();
      return sw.write(change.adds() ? entry.add(factory) : entry.delete(factory));
    } catch (RejectedException e) {
      logger.warn("static_entry_not_written switch={} why=\"{}\"", sw.getId(), e.getMessage());
      return true;
    }
  }
}
