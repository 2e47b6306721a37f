package io.malob.controller.staticentries;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  private static final Document<ImmutableMap<String, StaticEntry>> DOCUMENT =
      Document.of("static-entries", EntryFormat::read, EntryFormat::write);

  private final IOFSwitchService switches;
  private final Store store;

  /** Held by the change that waits for the store. */
  private final Object changing = new Object();

  /** The entries that the rules follow; written under the monitor. */
  private volatile Revisioned<ImmutableMap<String, StaticEntry>> stored;

  /** The cookies of all entries. */
  private volatile ImmutableSet<U64> cookies = ImmutableSet.of();

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
    void apply(Map<String, StaticEntry> entries) throws RejectedException;
  }

  /**
   * The entries of a store.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  StaticEntries(IOFSwitchService switches, Store store) throws IOException {
    this.switches = switches;
    this.store = store;
    Revisioned<ImmutableMap<String, StaticEntry>> found = store.read(DOCUMENT);
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

  private static ImmutableMap<String, StaticEntry> table(
      Revisioned<ImmutableMap<String, StaticEntry>> revision) {
    return revision.content().orElse(ImmutableMap.of());
  }

  /**
   * Adds an entry, or replaces the entry of that name; returns whether its switch has accepted it
   * from this controller.
   */
  boolean put(StaticEntry entry) throws RejectedException {
    var unused =
        change(
            entries -> {
              if (!entries.containsKey(entry.name()) && entries.size() >= MAX_ENTRIES) {
                throw RejectedException.invalid(
                    "name", "There are " + MAX_ENTRIES + " entries, the maximum");
              }
              entries.put(entry.name(), entry);
            });
    return !entry.active() || isTaken(entry.switchId());
  }

  private synchronized boolean isTaken(DatapathId switchId) {
    return switches.getActiveSwitch(switchId) != null && !untaken.containsKey(switchId);
  }

  /** Makes a change, and lets the rules follow it; returns the entries before it. */
  private ImmutableMap<String, StaticEntry> change(Edit edit) throws RejectedException {
    synchronized (changing) {
      while (true) {
        Revisioned<ImmutableMap<String, StaticEntry>> before = stored;
        Map<String, StaticEntry> after = new LinkedHashMap<>(table(before));
        edit.apply(after);
        try {
          if (!after.equals(table(before))) {
            Swap<ImmutableMap<String, StaticEntry>> swap =
                store.compareAndSet(DOCUMENT, before, Optional.of(ImmutableMap.copyOf(after)));
            take(swap.now());
            if (swap.isDone()) {
              return table(before);
            }
          } else {
            // another controller may have added the entry a moment ago
            Revisioned<ImmutableMap<String, StaticEntry>> now = store.read(DOCUMENT);
            take(now);
            if (now.revision() <= before.revision()) {
              return table(before);
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
  private synchronized void take(Revisioned<ImmutableMap<String, StaticEntry>> now) {
    if (now.revision() <= stored.revision()) {
      return;
    }
    Map<String, StaticEntry> before = table(stored);
    Map<String, StaticEntry> after = table(now);
    stored = now;
    cookies = after.values().stream().map(StaticEntry::cookie).collect(toImmutableSet());
    after.values().stream()
        .filter(entry -> !entry.equals(before.get(entry.name())))
        .forEach(entry -> replace(before.get(entry.name()), entry));
    before.values().stream()
        .filter(entry -> !after.containsKey(entry.name()))
        .forEach(this::takeAway);
  }

  private void replace(@Nullable StaticEntry older, StaticEntry entry) {
    if (entry.active()) {
      write(entry);
    }
    // the new rule exists before the old one is removed, or replaces it: an ADD overwrites
    if (older != null && !(entry.active() && entry.place().equals(older.place()))) {
      takeAway(older);
    }
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
        && cookies.contains(removed.getCookie());
  }

  /** Removes the entries whose rule has ended. */
  void forget(DatapathId switchId, OFFlowRemoved removed) throws RejectedException {
    var unused =
        change(
            entries -> {
              for (StaticEntry entry : of(entries, switchId)) {
                if (entry.isRule(removed)) {
                  entries.remove(entry.name());
                }
              }
            });
  }

  /** Removes the entry of that name and returns it; empty if there is none. */
  Optional<StaticEntry> remove(String name) throws RejectedException {
    return Optional.ofNullable(change(entries -> entries.remove(name)).get(name));
  }

  /** Removes all entries of a switch, or of all switches if it is null, and returns them. */
  List<StaticEntry> clear(@Nullable DatapathId switchId) throws RejectedException {
    return of(change(entries -> entries.values().removeAll(of(entries, switchId))), switchId);
  }

  /** The entries of a switch, or of all switches if it is null, oldest first. */
  List<StaticEntry> list(@Nullable DatapathId switchId) {
    return of(table(stored), switchId);
  }

  private static List<StaticEntry> of(
      Map<String, StaticEntry> entries, @Nullable DatapathId switchId) {
    return entries.values().stream()
        .filter(entry -> switchId == null || entry.switchId().equals(switchId))
        .toList();
  }

  private Stream<StaticEntry> active(DatapathId switchId) {
    return list(switchId).stream().filter(StaticEntry::active);
  }

  /**
   * Updates a switch that this controller has become master of. Removals of rules whose place
   * another entry has by now are dropped: its rule replaces them without a gap.
   */
  synchronized void rewrite(DatapathId switchId) {
    Set<StaticEntry.Place> places =
        active(switchId).map(StaticEntry::place).collect(Collectors.toSet());
    Deque<Change> changes = untaken.getOrDefault(switchId, new ArrayDeque<>());
    changes.removeIf(change -> change.adds() || places.contains(change.entry().place()));
    active(switchId).forEach(entry -> changes.add(new Change(entry, true)));
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
    List<StaticEntry> others =
        active(entry.switchId()).filter(other -> other.place().equals(entry.place())).toList();
    if (!others.isEmpty()) {
      others.forEach(this::write); // a rule at the same place replaces this one
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
