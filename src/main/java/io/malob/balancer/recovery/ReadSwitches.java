package io.malob.balancer.recovery;

import com.google.common.collect.ImmutableSortedSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The connected switches: those whose rules are known, and those that are being asked for them. A
 * switch that has gone is in neither set, however late its reading ends. Thread-safe; reading takes
 * no lock.
 */
public final class ReadSwitches {
  /** Guarded by this object's lock, under which all three sets are changed. */
  private final Set<DatapathId> connected = new HashSet<>();

  private final Set<DatapathId> read = ConcurrentHashMap.newKeySet();
  private final Set<DatapathId> asked = ConcurrentHashMap.newKeySet();

  /** A switch has connected: its rules are not known until {@link #done}. */
  public synchronized void begin(DatapathId switchId) {
    connected.add(switchId);
    ask(switchId);
  }

  /** A switch is asked once more; false if it has gone meanwhile. */
  public synchronized boolean again(DatapathId switchId) {
    boolean isThere = connected.contains(switchId);
    if (isThere) {
      ask(switchId);
    }
    return isThere;
  }

  private void ask(DatapathId switchId) {
    asked.add(switchId);
    read.remove(switchId);
  }

  /** All rules of a switch are known. */
  public synchronized void done(DatapathId switchId) {
    if (connected.contains(switchId)) {
      read.add(switchId);
      asked.remove(switchId);
    }
  }

  /** A switch has gone. */
  public synchronized void gone(DatapathId switchId) {
    connected.remove(switchId);
    asked.remove(switchId);
    read.remove(switchId);
  }

  /** Whether the rules of a switch are known. */
  public boolean contains(DatapathId switchId) {
    return read.contains(switchId);
  }

  /** Whether no switch is being asked. */
  public boolean isComplete() {
    return asked.isEmpty();
  }

  /** All whose rules are known, in order. */
  public ImmutableSortedSet<DatapathId> all() {
    return ImmutableSortedSet.copyOf(read);
  }
}
