package io.malob.balancer;

import io.malob.openflow.DenialRules;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.RuleCounts;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Keeps clients away from a VIP that does not allow them: nothing answers, and what they send is
 * dropped by their own switch for a while, so that it costs the controller one packet in {@link
 * #SECONDS}. The number of such rules is bounded; what is beyond it is dropped here. Called by the
 * threads that read from switches, several at once; never blocks.
 */
final class Denials {
  /** For how long a switch drops what a client sends. */
  static final int SECONDS = 10;

  /** How many rules are made within that time, on all switches together. */
  static final int MOST = 1_000;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  private final FlowProgrammer programmer;
  private final Rejections rejections;
  private final Refusals refusals;
  private final LongSupplier nanoTime;
  private final AtomicLong periodSinceNanos;
  private final AtomicInteger madeInPeriod = new AtomicInteger();

  /** When a rule was last made. */
  private volatile long madeAtNanos;

  Denials(
      FlowProgrammer programmer, Rejections rejections, Refusals refusals, LongSupplier nanoTime) {
    this.programmer = programmer;
    this.rejections = rejections;
    this.refusals = refusals;
    this.nanoTime = nanoTime;
    this.periodSinceNanos = new AtomicLong(nanoTime.getAsLong());
    this.madeAtNanos = nanoTime.getAsLong() - 2 * PERIOD_NANOS;
  }

  /** Drops a packet, and has its switch drop those that are like it. */
  void deny(Arrival arrival, Vip vip) {
    rejections.drop(RefusalReason.NOT_ALLOWED);
    if (mayMakeRule()) {
      madeAtNanos = nanoTime.getAsLong();
      programmer.send(
          arrival.switchId(),
          factory ->
              List.of(
                  DenialRules.add(factory, arrival.packet().fiveTuple(), vip.number(), SECONDS)));
    }
  }

  private boolean mayMakeRule() {
    long now = nanoTime.getAsLong();
    long since = periodSinceNanos.get();
    if (now - since >= PERIOD_NANOS && periodSinceNanos.compareAndSet(since, now)) {
      madeInPeriod.set(0);
    }
    // asked first, so that a flood does not make the count wrap around
    return madeInPeriod.get() < MOST && madeInPeriod.incrementAndGet() <= MOST;
  }

  /** A rule has ended: what it has dropped counts. */
  void ended(OFFlowRemoved rule) {
    refusals.add(RefusalReason.DROPPED_AT_EDGE, RuleCounts.packets(rule));
  }

  /** Takes all rules away, if there can be any, because others may be allowed now. */
  void reconsider(Collection<DatapathId> switches) {
    if (nanoTime.getAsLong() - madeAtNanos > PERIOD_NANOS) {
      return;
    }
    switches.forEach(
        switchId -> programmer.send(switchId, factory -> List.of(DenialRules.removeAll(factory))));
  }
}
