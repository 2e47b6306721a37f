package io.malob.balancer;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.types.DatapathId;

/** The switches whose rules are known, and those that are being asked for them. Thread-safe. */
final class ReadSwitches {
  private final Set<DatapathId> read = ConcurrentHashMap.newKeySet();
  private final Set<DatapathId> asked = ConcurrentHashMap.newKeySet();

  /** A switch has connected: what it holds is not known until {@link #done}. */
  void begin(DatapathId switchId) {
    asked.add(switchId);
    read.remove(switchId);
  }

  /** All rules of a switch are known. */
  void done(DatapathId switchId) {
    read.add(switchId);
    asked.remove(switchId);
  }

  /** A switch has gone. */
  void gone(DatapathId switchId) {
    asked.remove(switchId);
    read.remove(switchId);
  }

  /** Whether the rules of a switch are known. */
  boolean contains(DatapathId switchId) {
    return read.contains(switchId);
  }

  /** Whether no switch is being asked. */
  boolean isComplete() {
    return asked.isEmpty();
  }

  /** All of them, in order. */
  ImmutableSortedSet<DatapathId> all() {
    return ImmutableSortedSet.copyOf(read);
  }
}
