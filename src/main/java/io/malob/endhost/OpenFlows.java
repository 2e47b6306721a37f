package io.malob.endhost;

import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The flows whose rules the switch has, with their counts: the only class that adds, ends and
 * removes flows. An ended flow stays until its rules are removed. Bounded; safe for use by several
 * threads.
 */
final class OpenFlows {
  private final int max;
  private final ConcurrentMap<FlowKey, Flow> table = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final UplinkChoice choice;
  private final AtomicLong generations;
  private final ConcurrentMap<Integer, UplinkCounts> counts = new ConcurrentHashMap<>();

  /**
   * No flows yet.
   *
   * @param max the max number of flows
   * @param firstGeneration different from those that an earlier run has used recently
   */
  OpenFlows(int max, UplinkChoice choice, long firstGeneration) {
    this.max = max;
    this.choice = choice;
    this.generations = new AtomicLong(firstGeneration);
  }

  @Nullable Flow find(FlowKey key) {
    return table.get(key);
  }

  boolean isFull() {
    return size.get() >= max;
  }

  /** How many flows are to leave, so that a tenth of the room is left; 0 or less for none. */
  int excess() {
    return size.get() - max * 9 / 10;
  }

  /** All flows; weakly consistent. */
  Collection<Flow> all() {
    return Collections.unmodifiableCollection(table.values());
  }

  UplinkCounts counts(int uplink) {
    return counts.computeIfAbsent(uplink, none -> new UplinkCounts());
  }

  /** Adds a flow; returns that of another thread if it was faster. */
  Flow open(FlowKey key, int uplink, IPAddress<?> address, long nowNanos) {
    return counted(new Flow(key, uplink, address, generations.incrementAndGet(), nowNanos));
  }

  /** Adds a flow that the switch already has. */
  void adopt(Flow flow) {
    Flow unused = counted(flow);
  }

  private Flow counted(Flow flow) {
    @Nullable Flow winner = table.putIfAbsent(flow.key(), flow);
    if (winner != null) {
      return winner;
    }
    size.incrementAndGet();
    countOpened(flow);
    return flow;
  }

  /** Replaces an ended flow by a new one on the same uplink. */
  Flow renew(Flow before, long nowNanos) {
    Flow after =
        new Flow(
            before.key(),
            before.uplink(),
            before.address(),
            generations.incrementAndGet(),
            nowNanos);
    if (table.replace(before.key(), before, after)) {
      countBytes(before);
      countOpened(after);
      return after;
    }
    @Nullable Flow other = table.get(before.key());
    return other != null ? other : counted(after);
  }

  /**
   * Replaces a flow by one on an uplink that can carry it, with a new generation; empty if there is
   * none, or the flow has ended.
   */
  Optional<Flow> move(Wiring wiring, Flow before, long nowNanos) {
    FlowKey key = before.key();
    Optional<UplinkEnd> chosen =
        choice
            .choose(wiring, key)
            .flatMap(view -> Optional.ofNullable(wiring.byNumber().get(view.number())));
    if (chosen.isEmpty() || !end(before)) {
      return Optional.empty();
    }
    UplinkEnd uplink = chosen.get();
    IPAddress<?> address = uplink.address(key.version()).orElseThrow();
    Flow after = new Flow(key, uplink.number(), address, generations.incrementAndGet(), nowNanos);
    if (!table.replace(before.key(), before, after)) {
      return Optional.empty();
    }
    counts(before.uplink()).moved.increment();
    countBytes(before);
    countOpened(after);
    return Optional.of(after);
  }

  private void countOpened(Flow flow) {
    UplinkCounts of = counts(flow.uplink());
    of.open.incrementAndGet();
    of.total.increment();
    choice.placed(flow);
  }

  /** Ends a flow; its rules may still exist. False if it has ended before. */
  boolean end(Flow flow) {
    boolean ended = flow.end();
    if (ended) {
      counts(flow.uplink()).open.decrementAndGet();
      choice.ended(flow);
    }
    return ended;
  }

  /** Removes a flow whose rules were removed; false if it was no longer there. */
  boolean forget(Flow flow) {
    end(flow);
    boolean removed = table.remove(flow.key(), flow);
    if (removed) {
      size.decrementAndGet();
      countBytes(flow);
    }
    return removed;
  }

  private void countBytes(Flow flow) {
    UplinkCounts of = counts(flow.uplink());
    of.received.add(flow.receivedBytes());
    of.sent.add(flow.sentBytes());
    choice.known(flow);
  }
}
