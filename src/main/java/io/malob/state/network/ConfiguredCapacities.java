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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configured capacities of links, by the sending port. Kept in a store. Safe for use by several
 * threads; readers never wait.
 */
public final class ConfiguredCapacities {
  /** The max number of capacities. */
  public static final int MAX = 65_536;

  /** The largest capacity, in bit/s. */
  public static final double MAX_BPS = 1e13;

  private static final Logger LOG = LoggerFactory.getLogger(ConfiguredCapacities.class);

  private static final Document<ImmutableSortedMap<PortId, Double>> DOCUMENT =
      Document.of("capacities", CapacityFormat::read, CapacityFormat::write);

  private final Store store;
  private volatile Revisioned<ImmutableSortedMap<PortId, Double>> stored;

  private ConfiguredCapacities(Store store, Revisioned<ImmutableSortedMap<PortId, Double>> stored) {
    this.store = store;
    this.stored = stored;
  }

  /**
   * The capacities of a store.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  public static ConfiguredCapacities open(Store store) throws IOException {
    ConfiguredCapacities capacities = new ConfiguredCapacities(store, store.read(DOCUMENT));
    Store.Watch unused =
        store.watch(
            DOCUMENT,
            capacities.stored,
            Store.Listener.of(
                capacities::publish,
                why ->
                    LOG.error(
                        "capacities_not_read why=\"{}\" - the earlier capacities stay in effect",
                        why.getMessage())));
    return capacities;
  }

  /** Whether a link can have this capacity. */
  public static boolean isPossible(double bitsPerSecond) {
    return bitsPerSecond > 0 && bitsPerSecond <= MAX_BPS;
  }

  /** All, in bit/s. */
  public ImmutableSortedMap<PortId, Double> all() {
    return stored.content().orElseGet(ImmutableSortedMap::of);
  }

  /**
   * Sets one; on return it is durable.
   *
   * @return what was set before
   * @throws IllegalStateException if there are {@link #MAX} already
   * @throws RejectedException if it could not be stored
   */
  public synchronized Optional<Double> set(PortId port, double bitsPerSecond)
      throws RejectedException {
    if (!isPossible(bitsPerSecond)) {
      throw new IllegalArgumentException("a link cannot carry " + bitsPerSecond + " bit/s");
    }
    return change(
        changed -> {
          if (changed.size() >= MAX && !changed.containsKey(port)) {
            throw new IllegalStateException("there are " + MAX + " capacities, the maximum");
          }
          return changed.put(port, bitsPerSecond);
        });
  }

  /**
   * Removes one.
   *
   * @return its value; empty if there was none
   * @throws RejectedException if that could not be stored
   */
  public synchronized Optional<Double> remove(PortId port) throws RejectedException {
    return change(changed -> changed.remove(port));
  }

  /** One change of the map, which returns the former value. */
  private interface Change {
    @Nullable Double make(Map<PortId, Double> capacities);
  }

  private Optional<Double> change(Change change) throws RejectedException {
    while (true) {
      ImmutableSortedMap<PortId, Double> before = all();
      Map<PortId, Double> after = new TreeMap<>(before);
      Optional<Double> was = Optional.ofNullable(change.make(after));
      if (after.equals(before)) {
        return was;
      }
      Swap<ImmutableSortedMap<PortId, Double>> swap = swap(ImmutableSortedMap.copyOf(after));
      publish(swap.now());
      if (swap.isDone()) {
        return was;
      }
    }
  }

  private Swap<ImmutableSortedMap<PortId, Double>> swap(ImmutableSortedMap<PortId, Double> after)
      throws RejectedException {
    try {
      return store.compareAndSet(DOCUMENT, stored, Optional.of(after));
    } catch (IOException e) {
      LOG.error("capacities_not_stored why=\"{}\"", e.toString());
      throw NotStored.rejection("the change could not be stored; the log says why", e);
    }
  }

  private synchronized void publish(Revisioned<ImmutableSortedMap<PortId, Double>> now) {
    if (now.revision() > stored.revision()) {
      stored = now;
    }
  }
}
