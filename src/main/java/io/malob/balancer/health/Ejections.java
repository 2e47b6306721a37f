package io.malob.balancer.health;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.health.Ejection;
import io.malob.state.catalog.Member;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which members are out because of what connections or agents have shown of them. Changed by one
 * thread at a time; {@link #isSuspected}, {@link #out} and {@link #counts} are for any.
 */
final class Ejections {
  private static final Logger LOG = LoggerFactory.getLogger(Ejections.class);

  private final Ejection.Policy policy;
  private final LongSupplier nanoTime;
  private final Map<Integer, Ejection> states = new HashMap<>();
  private final ImmutableMap<Why, LongAdder> counts =
      Maps.toMap(EnumSet.allOf(Why.class), any -> new LongAdder());

  private volatile ImmutableMap<Integer, Out> out = ImmutableMap.of();

  /** Whether any member has failed lately. Nothing else is checked while none has. */
  private volatile Set<Integer> suspected = Set.of();

  /** What a member has failed in. */
  enum Why {
    /** A client's SYN was sent again, and the rule for replies has not counted a packet. */
    NO_REPLY,
    /** Its agent's own connection was refused, or not answered. */
    REFUSES;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A member that is out.
   *
   * @param why what it failed in last
   * @param times how often it was out lately, this time included
   * @param untilNanos on the controller's monotonic clock
   */
  record Out(Why why, int times, long untilNanos) {}

  /** Nobody is out. */
  Ejections(Ejection.Policy policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
  }

  /** A member has failed. Whether it is out now, and was not before. */
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
    counts(why).increment();
    out =
        ImmutableMap.<Integer, Out>builder()
            .putAll(Maps.filterKeys(out, number -> number != member.number()))
            .put(member.number(), new Out(why, after.times(), after.untilNanos()))
            .build();
    LOG.warn(
        "member_ejected member={} address={} why={} seconds={} times={} - it gets no new connections",
        member.id(),
        member.address(),
        why.text(),
        TimeUnit.NANOSECONDS.toSeconds(after.untilNanos() - now),
        after.times());
    return true;
  }

  /** A connection to a member that began then was answered. */
  void answered(int memberNumber, long beganNanos) {
    @Nullable Ejection before = states.get(memberNumber);
    if (before != null) {
      states.put(memberNumber, before.answered(beganNanos));
    }
  }

  /**
   * Time has passed. Whether anybody is in again.
   *
   * @param members those that there are, by number
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

  /** Whether a member has failed lately, so that its answers matter. */
  boolean isSuspected(int memberNumber) {
    return suspected.contains(memberNumber);
  }

  /** Who is out, by number. */
  ImmutableMap<Integer, Out> out() {
    return out;
  }

  /** How often members were put out, by what they had failed in. */
  ImmutableMap<String, Long> counts() {
    ImmutableMap.Builder<String, Long> all = ImmutableMap.builder();
    counts.forEach((why, count) -> all.put(why.text(), count.sum()));
    return all.build();
  }

  private LongAdder counts(Why why) {
    return requireNonNull(counts.get(why));
  }
}
