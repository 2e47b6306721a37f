package io.malob.balancer.admission;

import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.DenialRules;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.RuleSender;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Drops the packets of clients that a VIP does not allow, without an answer. A rule on the client's
 * own switch drops further packets for {@link #SECONDS} seconds, so the controller sees one packet
 * in that time. The number of rules is bounded; beyond it, the controller drops the packets.
 * Thread-safe: called by the threads that read from switches; never blocks.
 */
public final class AclDropRules {
  /** For how many seconds a rule drops a client's packets. */
  public static final int SECONDS = 10;

  /** How many rules are installed in that time, on all switches together. */
  public static final int MAX_RULES = 1_000;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  private final RuleSender ruleSender;
  private final RejectCounters rejects;
  private final LongSupplier nanoTime;
  private final AtomicLong periodSinceNanos;
  private final AtomicInteger installedInPeriod = new AtomicInteger();

  /** When a rule was last installed. */
  private volatile long installedAtNanos;

  public AclDropRules(RuleSender ruleSender, RejectCounters rejects, LongSupplier nanoTime) {
    this.ruleSender = ruleSender;
    this.rejects = rejects;
    this.nanoTime = nanoTime;
    this.periodSinceNanos = new AtomicLong(nanoTime.getAsLong());
    this.installedAtNanos = nanoTime.getAsLong() - 2 * PERIOD_NANOS;
  }

  /** Drops a packet, and installs a rule on its switch that drops further ones of its kind. */
  void deny(Arrival arrival, int vipNumber) {
    rejects.count(RejectReason.NOT_ALLOWED);
    if (mayInstallRule()) {
      installedAtNanos = nanoTime.getAsLong();
      ruleSender.send(
          arrival.switchId(),
          factory ->
              List.of(
                  DenialRules.add(
                      factory,
                      arrival.packet().fiveTuple(),
                      arrival.packet().vlan(),
                      vipNumber,
                      SECONDS)));
    }
  }

  private boolean mayInstallRule() {
    long now = nanoTime.getAsLong();
    long since = periodSinceNanos.get();
    if (now - since >= PERIOD_NANOS && periodSinceNanos.compareAndSet(since, now)) {
      installedInPeriod.set(0);
    }
    // checked before it is incremented, so that the count does not overflow in a flood
    return installedInPeriod.get() < MAX_RULES && installedInPeriod.incrementAndGet() <= MAX_RULES;
  }

  /** A rule has ended: adds the packets that it dropped to the counters. */
  public void ended(OFFlowRemoved rule) {
    rejects.add(RejectReason.DROPPED_AT_EDGE, Math.max(0, RuleCounts.packets(rule)));
  }

  /** The allowed clients may have changed: removes all rules, if any can still exist. */
  public void reconsider(Collection<DatapathId> switches) {
    if (nanoTime.getAsLong() - installedAtNanos > PERIOD_NANOS) {
      return;
    }
    switches.forEach(
        switchId -> ruleSender.send(switchId, factory -> List.of(DenialRules.removeAll(factory))));
  }
}
