package io.malob.state.network;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.file.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How much operators say that links can carry, by the port that sends into the link. Kept in {@code
 * capacities.json}, if there is a directory for it. Safe for use by several threads; readers never
 * wait.
 */
public final class ConfiguredCapacities {
  /** How many there can be. */
  public static final int MOST = 65_536;

  /** The largest capacity, in bit/s. */
  public static final double MOST_BPS = 1e13;

  private final @Nullable DurableFile file;
  private volatile ImmutableSortedMap<PortId, Double> byPort;

  private ConfiguredCapacities(
      @Nullable DurableFile file, ImmutableSortedMap<PortId, Double> byPort) {
    this.file = file;
    this.byPort = byPort;
  }

  /** None yet; they are forgotten with this object. */
  public static ConfiguredCapacities inMemory() {
    return new ConfiguredCapacities(null, ImmutableSortedMap.of());
  }

  /**
   * Those that are kept in that directory, which is made if it is not there.
   *
   * @throws IOException if they cannot be read; the message is for users
   */
  public static ConfiguredCapacities open(Path directory) throws IOException {
    Files.createDirectories(directory);
    DurableFile file = new DurableFile(directory, "capacities.json");
    return new ConfiguredCapacities(
        file, file.load(CapacityFormat::read).orElseGet(ImmutableSortedMap::of));
  }

  /** Whether a link can have this capacity. */
  public static boolean isPossible(double bitsPerSecond) {
    return bitsPerSecond > 0 && bitsPerSecond <= MOST_BPS;
  }

  /** All, in bit/s. */
  public ImmutableSortedMap<PortId, Double> all() {
    return byPort;
  }

  /**
   * Sets one; on return it is on the disk.
   *
   * @return what was set before
   * @throws IllegalStateException if there are {@link #MOST} already
   * @throws IOException if it could not be stored; nothing has changed then
   */
  public synchronized Optional<Double> set(PortId port, double bitsPerSecond) throws IOException {
    if (!isPossible(bitsPerSecond)) {
      throw new IllegalArgumentException("a link cannot carry " + bitsPerSecond + " bit/s");
    }
    if (byPort.size() >= MOST && !byPort.containsKey(port)) {
      throw new IllegalStateException("there are " + MOST + " capacities already");
    }
    Map<PortId, Double> changed = new TreeMap<>(byPort);
    @Nullable Double before = changed.put(port, bitsPerSecond);
    if (before == null || before != bitsPerSecond) {
      publish(changed);
    }
    return Optional.ofNullable(before);
  }

  /**
   * Takes one away.
   *
   * @return what it was; empty if there was none
   * @throws IOException if that could not be stored; nothing has changed then
   */
  public synchronized Optional<Double> remove(PortId port) throws IOException {
    Map<PortId, Double> changed = new TreeMap<>(byPort);
    @Nullable Double before = changed.remove(port);
    if (before != null) {
      publish(changed);
    }
    return Optional.ofNullable(before);
  }

  private void publish(Map<PortId, Double> changed) throws IOException {
    if (file != null) {
      file.replace(CapacityFormat.write(changed));
    }
    byPort = ImmutableSortedMap.copyOf(changed);
  }
}
