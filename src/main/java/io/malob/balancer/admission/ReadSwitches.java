package io.malob.balancer.admission;

import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Maps;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The connected switches, in two sets: those whose rules have been read, and those that are being
 * read. Connections of some of the latter are known from another controller, so that new ones can
 * be placed meanwhile. A disconnected switch is in neither set, even if a read of its tables
 * completes later. Thread-safe; queries take no lock.
 */
public final class ReadSwitches {
  private enum Stage {
    READING,
    /** It is being read, and its connections are known from its former master. */
    KNOWN,
    READ
  }

  /** The connected switches; changed with this object's lock. */
  private final Map<DatapathId, Stage> stages = new ConcurrentHashMap<>();

  private volatile boolean isComplete = true;

  /** A switch has connected. Its rules are unknown until {@link #done}. */
  public void begin(DatapathId switchId) {
    begin(switchId, false);
  }

  /**
   * The same.
   *
   * @param isKnown whether its connections are known from its former master
   */
  public synchronized void begin(DatapathId switchId, boolean isKnown) {
    isComplete = false;
    stages.put(switchId, isKnown ? Stage.KNOWN : Stage.READING);
  }

  /** Starts another reading of a switch; false if it has disconnected meanwhile. */
  public synchronized boolean reread(DatapathId switchId) {
    if (contains(switchId)) {
      begin(switchId);
    }
    return stages.containsKey(switchId);
  }

  /** All rules of a switch have been read. */
  public synchronized void done(DatapathId switchId) {
    stages.replace(switchId, Stage.READ);
    findWhetherComplete();
  }

  /** A switch has disconnected. */
  public synchronized void gone(DatapathId switchId) {
    stages.remove(switchId);
    findWhetherComplete();
  }

  private void findWhetherComplete() {
    isComplete = stages.values().stream().allMatch(Stage.READ::equals);
  }

  /** Whether a switch is being read, and its connections are known from its former master. */
  public boolean isKnown(DatapathId switchId) {
    return stages.get(switchId) == Stage.KNOWN;
  }

  /** Whether new connections can use a switch. */
  public boolean isUsable(DatapathId switchId) {
    @Nullable Stage stage = stages.get(switchId);
    return stage != null && stage != Stage.READING;
  }

  /** Whether the rules of a switch have been read. */
  public boolean contains(DatapathId switchId) {
    return stages.get(switchId) == Stage.READ;
  }

  /** Whether no switch is being read. */
  public boolean isComplete() {
    return isComplete;
  }

  /** All switches whose rules have been read, sorted. */
  public ImmutableSortedSet<DatapathId> all() {
    return ImmutableSortedSet.copyOf(
        Maps.filterValues(stages, stage -> stage == Stage.READ).keySet());
  }
}
