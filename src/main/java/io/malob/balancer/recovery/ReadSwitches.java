package io.malob.balancer.recovery;

import com.google.common.collect.ImmutableSortedSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The connected switches, in two sets: those whose rules have been read, and those that are being
 * read. Connections of some of the latter are known from another controller, so that new ones can
 * be placed meanwhile. A disconnected switch is in neither set, even if a read of its tables
 * completes later. Thread-safe; queries take no lock.
 */
public final class ReadSwitches {
  /** Guarded by this object's lock, which also guards changes of the other two sets. */
  private final Set<DatapathId> connected = new HashSet<>();

  private final Set<DatapathId> read = ConcurrentHashMap.newKeySet();
  private final Set<DatapathId> reading = ConcurrentHashMap.newKeySet();

  /** Switches that are being read, and whose connections are known. */
  private final Set<DatapathId> known = ConcurrentHashMap.newKeySet();

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
    connected.add(switchId);
    if (isKnown) {
      known.add(switchId); // first: it is usable from now on, without a moment between
    } else {
      known.remove(switchId);
    }
    startReading(switchId);
  }

  /** Starts another reading of a switch; false if it has disconnected meanwhile. */
  public synchronized boolean reread(DatapathId switchId) {
    boolean isConnected = connected.contains(switchId);
    if (isConnected) {
      startReading(switchId);
    }
    return isConnected;
  }

  private void startReading(DatapathId switchId) {
    reading.add(switchId);
    read.remove(switchId);
  }

  /** All rules of a switch have been read. */
  public synchronized void done(DatapathId switchId) {
    if (connected.contains(switchId)) {
      read.add(switchId);
      reading.remove(switchId);
      known.remove(switchId);
    }
  }

  /** A switch has disconnected. */
  public synchronized void gone(DatapathId switchId) {
    connected.remove(switchId);
    reading.remove(switchId);
    read.remove(switchId);
    known.remove(switchId);
  }

  /** Whether a switch is being read, and its connections are known from its former master. */
  public boolean isKnown(DatapathId switchId) {
    return known.contains(switchId);
  }

  /** Whether new connections can use a switch. */
  public boolean isUsable(DatapathId switchId) {
    return known.contains(switchId) || read.contains(switchId);
  }

  /** Whether the rules of a switch have been read. */
  public boolean contains(DatapathId switchId) {
    return read.contains(switchId);
  }

  /** Whether no switch is being read. */
  public boolean isComplete() {
    return reading.isEmpty();
  }

  /** All switches whose rules have been read, sorted. */
  public ImmutableSortedSet<DatapathId> all() {
    return ImmutableSortedSet.copyOf(read);
  }
}
