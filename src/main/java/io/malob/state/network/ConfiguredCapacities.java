package io.malob.state.network;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.json.RejectedException;
import io.malob.store.Document;
import io.malob.store.Store;
import java.io.IOException;
import java.util.Optional;
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

  private static final StoredMap.Kind<PortId, Double> KIND =
      new StoredMap.Kind<>(
          DOCUMENT,
          MAX,
          "capacities",
          why ->
              LOG.error(
                  "capacities_not_read why=\"{}\" - the earlier capacities stay in effect",
                  why.getMessage()),
          why -> LOG.error("capacities_not_stored why=\"{}\"", why.toString()),
          all -> {});

  private final StoredMap<PortId, Double> stored;

  private ConfiguredCapacities(StoredMap<PortId, Double> stored) {
    this.stored = stored;
  }

  /**
   * The capacities of a store.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  public static ConfiguredCapacities open(Store store) throws IOException {
    return new ConfiguredCapacities(StoredMap.open(store, KIND));
  }

  /** Whether a link can have this capacity. */
  public static boolean isPossible(double bitsPerSecond) {
    return bitsPerSecond > 0 && bitsPerSecond <= MAX_BPS;
  }

  /** All, in bit/s. */
  public ImmutableSortedMap<PortId, Double> all() {
    return stored.all();
  }

  /**
   * Sets one; on return it is durable.
   *
   * @return what was set before
   * @throws IllegalStateException if there are {@link #MAX} already
   * @throws RejectedException if it could not be stored
   */
  public Optional<Double> set(PortId port, double bitsPerSecond) throws RejectedException {
    if (!isPossible(bitsPerSecond)) {
      throw new IllegalArgumentException("a link cannot carry " + bitsPerSecond + " bit/s");
    }
    return stored.put(port, bitsPerSecond);
  }

  /**
   * Removes one.
   *
   * @return its value; empty if there was none
   * @throws RejectedException if that could not be stored
   */
  public Optional<Double> remove(PortId port) throws RejectedException {
    return stored.remove(port);
  }
}
