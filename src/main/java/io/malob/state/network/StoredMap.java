package io.malob.state.network;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.json.RejectedException;
import io.malob.store.Document;
import io.malob.store.NotStored;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.Swap;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A map that operators change entry by entry, as one document of a store that controllers may
 * share. Safe for use by several threads; readers never wait.
 */
final class StoredMap<K extends Comparable<K>, V> {
  private final Store store;
  private final Kind<K, V> kind;
  private volatile Revisioned<ImmutableSortedMap<K, V>> stored;

  /**
   * What such a map holds.
   *
   * @param max the max number of entries
   * @param name the name of its entries, for users
   * @param notRead receives why a change of another controller could not be read
   * @param notStored receives why a change could not be stored
   * @param changed receives the map after each change
   */
  record Kind<K extends Comparable<K>, V>(
      Document<ImmutableSortedMap<K, V>> document,
      int max,
      String name,
      Consumer<Throwable> notRead,
      Consumer<IOException> notStored,
      Consumer<ImmutableSortedMap<K, V>> changed) {}

  private StoredMap(Store store, Kind<K, V> kind, Revisioned<ImmutableSortedMap<K, V>> stored) {
    this.store = store;
    this.kind = kind;
    this.stored = stored;
  }

  /**
   * The map of a store.
   *
   * @throws IOException if it cannot be read; the message is for users
   */
  static <K extends Comparable<K>, V> StoredMap<K, V> open(Store store, Kind<K, V> kind)
      throws IOException {
    StoredMap<K, V> map = new StoredMap<>(store, kind, store.read(kind.document));
    kind.changed.accept(map.all());
    Store.Watch unused =
        store.watch(
            kind.document, map.stored, Store.Listener.of(map::publish, kind.notRead::accept));
    return map;
  }

  ImmutableSortedMap<K, V> all() {
    return stored.content().orElseGet(ImmutableSortedMap::of);
  }

  /**
   * Sets an entry; on return it is durable.
   *
   * @return its value before
   * @throws IllegalStateException if there are too many entries
   * @throws RejectedException if it could not be stored
   */
  synchronized Optional<V> put(K key, V value) throws RejectedException {
    return change(
        entries -> {
          if (entries.size() >= kind.max && !entries.containsKey(key)) {
            throw new IllegalStateException(
                "there are " + kind.max + " " + kind.name + ", the maximum");
          }
          return entries.put(key, value);
        });
  }

  /**
   * Removes an entry.
   *
   * @return its value; empty if there was none
   * @throws RejectedException if that could not be stored
   */
  synchronized Optional<V> remove(K key) throws RejectedException {
    return change(entries -> entries.remove(key));
  }

  /** One change of the map, which returns the former value. */
  private interface Change<K, V> {
    @Nullable V make(Map<K, V> entries);
  }

  private Optional<V> change(Change<K, V> change) throws RejectedException {
    while (true) {
      ImmutableSortedMap<K, V> before = all();
      Map<K, V> after = new TreeMap<>(before);
      Optional<V> was = Optional.ofNullable(change.make(after));
      if (after.equals(before)) {
        return was;
      }
      Swap<ImmutableSortedMap<K, V>> swap = swap(ImmutableSortedMap.copyOf(after));
      publish(swap.now());
      if (swap.isDone()) {
        return was;
      }
    }
  }

  private Swap<ImmutableSortedMap<K, V>> swap(ImmutableSortedMap<K, V> after)
      throws RejectedException {
    try {
      return store.compareAndSet(kind.document, stored, Optional.of(after));
    } catch (IOException e) {
      kind.notStored.accept(e);
      throw NotStored.rejection("the change could not be stored; the log says why", e);
    }
  }

  private synchronized void publish(Revisioned<ImmutableSortedMap<K, V>> now) {
    if (now.revision() > stored.revision()) {
      stored = now;
      kind.changed.accept(all());
    }
  }
}
