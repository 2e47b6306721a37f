package io.malob.endhost;

import io.malob.openflow.uplink.FlowKey;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The flows whose rules the switch has. Bounded; safe for use by several threads. An ended flow
 * stays until its rules are removed.
 */
final class FlowTable {
  private final int max;
  private final ConcurrentMap<FlowKey, Flow> flows = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();

  /** A table with a max number of flows. */
  FlowTable(int max) {
    this.max = max;
  }

  @Nullable Flow find(FlowKey key) {
    return flows.get(key);
  }

  boolean isFull() {
    return size.get() >= max;
  }

  /** How many flows are above nine tenths of the max number. */
  int excess() {
    return size.get() - max * 9 / 10;
  }

  /** Adds a flow; returns the existing one of its key, or else this. */
  Flow putIfAbsent(Flow flow) {
    @Nullable Flow before = flows.putIfAbsent(flow.key(), flow);
    if (before == null) {
      size.incrementAndGet();
      return flow;
    }
    return before;
  }

  /** Replaces a flow by another; false if it is no longer there. */
  boolean replace(Flow before, Flow after) {
    return flows.replace(before.key(), before, after);
  }

  /** Removes a flow; false if it is no longer there. */
  boolean remove(Flow flow) {
    boolean removed = flows.remove(flow.key(), flow);
    if (removed) {
      size.decrementAndGet();
    }
    return removed;
  }

  /** All flows; weakly consistent. */
  Collection<Flow> all() {
    return Collections.unmodifiableCollection(flows.values());
  }
}
