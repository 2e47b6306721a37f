package io.malob.balancer.health;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.health.Ejection;
import io.malob.module.EnumCounts;
import io.malob.state.catalog.Member;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members that are ejected because their connections failed or their agents reported a failure.
 * Written by one thread at a time. Any thread may call {@link #isSuspected}, {@link #out} and
 * {@link #counts}.
 */
final class Ejections {
  private static final Logger LOG = LoggerFactory.getLogger(Ejections.class);

  private final Ejection.Policy policy;
  private final LongSupplier nanoTime;
  private final Map<Integer, Ejection> states = new HashMap<>();
  private final EnumCounts<Why> counts = new EnumCounts<>(Why.class);

  private volatile ImmutableMap<Integer, Out> out = ImmutableMap.of();

  /** The members that failed recently. While it is empty, no answers are tracked. */
  private volatile Set<Integer> suspected = Set.of();

  /** The kind of a member's failure. */
  enum Why {
    /** A client retransmitted its SYN, and the rule for replies has counted no packet. */
    NO_REPLY,
    /** The agent's own connection to the service was refused or not answered. */
    REFUSES;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * An ejected member.
   *
   * @param why its last failure
   * @param times how often it was ejected recently, including this time
   * @param untilNanos the end of the ejection on the controller's monotonic clock
   */
  record Out(Why why, int times, long untilNanos) {}

  /** Starts with no ejected member. */
  Ejections(Ejection.Policy policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
  }

  /** Records a failure of a member. Returns true if this failure ejects it. */
  boolean failed(Member member, Why why) {
    long now = nanoTime.getAsLong();
    Ejection before = states.getOrDefault(member.number(), Ejection.NONE);
    Ejection after = before.failed(now, policy);
    if (after.equals(before)) {
      return false;
    }
    states.put(member.number(), after);
    suspected = Set.copyOf(states.keySet());
    if (!after.isOut()) {
      return false;
    }
    counts.count(why);
    eject(member, why, after, now);
    return true;
  }

  /**
   * Records that another controller has ejected a member. Returns false if it is out for as long
   * already.
   */
  boolean ejectedElsewhere(Member member, PeerHealth.PeerEjection ejection) {
    long now = nanoTime.getAsLong();
    long untilNanos = now + Math.min(ejection.nanosLeft(), policy.maxNanos());
    Ejection before = states.getOrDefault(member.number(), Ejection.NONE);
    if (before.isOut() && before.untilNanos() - untilNanos >= 0) {
      return false;
    }
    Ejection after = new Ejection(0, 0, ejection.times(), untilNanos, true);
    states.put(member.number(), after);
    suspected = Set.copyOf(states.keySet());
    eject(member, ejection.why(), after, now);
    return true;
  }

  private void eject(Member member, Why why, Ejection after, long nowNanos) {
    out =
        ImmutableMap.<Integer, Out>builder()
            .putAll(Maps.filterKeys(out, number -> number != member.number()))
            .put(member.number(), new Out(why, after.times(), after.untilNanos()))
            .build();
    LOG.warn(
        "member_ejected member={} address={} why={} seconds={} times={} - it gets no new"
            + " connections",
        member.id(),
        member.address(),
        why.text(),
        TimeUnit.NANOSECONDS.toSeconds(after.untilNanos() - nowNanos),
        after.times());
  }

  /** Records that a member answered a connection that began at the given time. */
  void answered(int memberNumber, long beganNanos) {
    @Nullable Ejection before = states.get(memberNumber);
    if (before != null) {
      states.put(memberNumber, before.answered(beganNanos));
    }
  }

  /**
   * Ends the ejections whose time is over. Returns true if a member is readmitted.
   *
   * @param members the members of the catalog, by number
   */
  boolean tick(Map<Integer, Member> members) {
    if (states.isEmpty()) {
      return false;
    }
    long now = nanoTime.getAsLong();
    states.keySet().retainAll(members.keySet());
    states.replaceAll((number, state) -> state.at(now, policy));
    states.values().removeIf(Ejection.NONE::equals);
    suspected = Set.copyOf(states.keySet());
    ImmutableMap<Integer, Out> before = out;
    out = ImmutableMap.copyOf(Maps.filterKeys(before, this::isOut));
    for (int number : before.keySet()) {
      @Nullable Member member = members.get(number);
      if (member != null && !out.containsKey(number)) {
        LOG.info("member_readmitted member={} address={}", member.id(), member.address());
      }
    }
    return out.size() < before.size();
  }

  private boolean isOut(int number) {
    @Nullable Ejection state = states.get(number);
    return state != null && state.isOut();
  }

  /** Whether a member failed recently, so that its answers matter. */
  boolean isSuspected(int memberNumber) {
    return suspected.contains(memberNumber);
  }

  /** The ejected members, by number. */
  ImmutableMap<Integer, Out> out() {
    return out;
  }

  /** How often members were ejected, by kind of failure. */
  ImmutableMap<String, Long> counts() {
    return counts.by(Why::text);
  }
}
