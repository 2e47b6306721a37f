package io.malob.balancer.admission;

import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
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
public final class AclDropRules {
  /** For how long a switch drops what a client sends. */
  public static final int SECONDS = 10;

  /** How many rules are made within that time, on all switches together. */
  public static final int MOST = 1_000;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  private final FlowProgrammer programmer;
  private final RejectSender rejectSender;
  private final RejectCounters rejects;
  private final LongSupplier nanoTime;
  private final AtomicLong periodSinceNanos;
  private final AtomicInteger madeInPeriod = new AtomicInteger();

  /** When a rule was last made. */
  private volatile long madeAtNanos;

  public AclDropRules(
      FlowProgrammer programmer,
      RejectSender rejectSender,
      RejectCounters rejects,
      LongSupplier nanoTime) {
    this.programmer = programmer;
    this.rejectSender = rejectSender;
    this.rejects = rejects;
    this.nanoTime = nanoTime;
    this.periodSinceNanos = new AtomicLong(nanoTime.getAsLong());
    this.madeAtNanos = nanoTime.getAsLong() - 2 * PERIOD_NANOS;
  }

  /** Drops a packet, and has its switch drop those that are like it. */
  void deny(Arrival arrival, Vip vip) {
    rejectSender.drop(RejectReason.NOT_ALLOWED);
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
  public void ended(OFFlowRemoved rule) {
    rejects.add(RejectReason.DROPPED_AT_EDGE, RuleCounts.packets(rule));
  }

  /** Takes all rules away, if there can be any, because others may be allowed now. */
  public void reconsider(Collection<DatapathId> switches) {
    if (nanoTime.getAsLong() - madeAtNanos > PERIOD_NANOS) {
      return;
    }
    switches.forEach(
        switchId -> programmer.send(switchId, factory -> List.of(DenialRules.removeAll(factory))));
  }
}
