package io.malob.endhost;

import io.malob.openflow.uplink.FlowKey;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The flows whose rules the switch has. Bounded; safe for use by several threads. A flow that has
 * ended is here until its rules have gone.
 */
final class FlowTable {
  private final int max;
  private final ConcurrentMap<FlowKey, Flow> flows = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();

  /** A table for so many flows. */
  FlowTable(int max) {
    this.max = max;
  }

  @Nullable Flow find(FlowKey key) {
    return flows.get(key);
  }

  boolean isFull() {
    return size.get() >= max;
  }

  /** Adds a flow; gives back the one that was faster, or else this. */
  Flow putIfAbsent(Flow flow) {
    @Nullable Flow before = flows.putIfAbsent(flow.key(), flow);
    if (before == null) {
      size.incrementAndGet();
      return flow;
    }
    return before;
  }

  /** Puts a flow in another one's place; false if that is not there any more. */
  boolean replace(Flow before, Flow after) {
    return flows.replace(before.key(), before, after);
  }

  /** Takes a flow away; false if it is not there any more. */
  boolean remove(Flow flow) {
    boolean removed = flows.remove(flow.key(), flow);
    if (removed) {
      size.decrementAndGet();
    }
    return removed;
  }

  /** All flows, as they are while one goes through them. */
  Collection<Flow> all() {
    return Collections.unmodifiableCollection(flows.values());
  }
}
