package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import io.malob.openflow.bucket.ReplyRules.Counted;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Estimates the connections that buckets have placed on the members of a VIP, from the counters of
 * the rules of their replies: a SYN-ACK opens a connection, a FIN or RST of the member ends it. An
 * agent's report replaces the estimate. For one thread at a time.
 *
 * <p>Retransmitted flags count twice, and connections that end without the member do not end here.
 * So a member that has sent nothing for a minute, and has no agent, has no connections.
 */
final class MemberEstimates {
  private static final long SILENT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How much a new rate weighs against those before. */
  private static final double SMOOTHING = 0.3;

  /** The part of a peak that is left after a poll: after a minute, about a half. */
  private static final double PEAK_DECAY = 0.99;

  /** Below this rate, in connections per second, the mean lifetime is not known. */
  private static final double MIN_RATE = 0.5;

  private final Map<Integer, Estimate> byMember = new HashMap<>();
  private final Map<Rule, Long> counters = new HashMap<>();
  private long countedAtNanos;

  private record Rule(DatapathId switchId, int memberNumber, Counted counted) {}

  private static final class Estimate {
    long opened;

    /** How many of them are part of the member's total already. */
    long taken;

    /** Opened minus ended; also negative, as counters are not read at one instant. */
    double balance;

    /** The balance, smoothed. */
    double open;

    /** The max of the balance, which decays slowly. */
    double peak;

    double rate;
    long activeAtNanos;

    /** Whether an agent has reported the balance: silent connections are open, too. */
    boolean isReported;

    long openedSinceRate;
  }

  /** Takes over the counter of a rule. A counter that has become smaller has begun anew. */
  void counted(
      DatapathId switchId, int memberNumber, Counted counted, long packets, long nowNanos) {
    @Nullable Long before = counters.put(new Rule(switchId, memberNumber, counted), packets);
    boolean isFirst = before == null;
    long more = isFirst ? 0 : packets >= before ? packets - before : packets;
    Estimate estimate = byMember.computeIfAbsent(memberNumber, any -> new Estimate());
    if (more > 0) {
      estimate.activeAtNanos = nowNanos;
    }
    switch (counted) {
      case ALL -> {}
      case OPENED -> {
        estimate.opened += more;
        estimate.openedSinceRate += more;
        estimate.balance += more;
      }
      case FINISHED, RESET -> estimate.balance -= more;
    }
  }

  /** The controller counts connections of a member itself that were estimated so far. */
  void subtractKnown(int memberNumber, long connections) {
    @Nullable Estimate estimate = byMember.get(memberNumber);
    if (estimate != null) {
      estimate.opened = Math.max(0, estimate.opened - connections);
      estimate.balance -= connections;
    }
  }

  /** All counters of a poll have been taken over. */
  void polled(long nowNanos) {
    double seconds = (nowNanos - countedAtNanos) / 1e9;
    if (countedAtNanos != 0 && seconds < 0.5) {
      return;
    }
    for (Estimate estimate : byMember.values()) {
      if (countedAtNanos != 0) {
        estimate.rate += SMOOTHING * (estimate.openedSinceRate / seconds - estimate.rate);
      }
      estimate.openedSinceRate = 0;
      if (!estimate.isReported && nowNanos - estimate.activeAtNanos >= SILENT_NANOS) {
        estimate.balance = 0;
        estimate.open = 0;
      }
      estimate.open += SMOOTHING * (Math.max(0, estimate.balance) - estimate.open);
      estimate.peak = Math.max(estimate.open, estimate.peak * PEAK_DECAY);
    }
    countedAtNanos = nowNanos;
  }

  /**
   * An agent has reported the connections of a member, of which the balancer counts some itself.
   */
  void correct(int memberNumber, OptionalInt reported, int exact) {
    Estimate estimate = byMember.computeIfAbsent(memberNumber, any -> new Estimate());
    estimate.isReported = reported.isPresent();
    if (reported.isPresent()) {
      estimate.balance = Math.max(0, reported.getAsInt() - exact);
    }
  }

  /** Forgets all members but these. */
  void retain(Set<Integer> memberNumbers) {
    byMember.keySet().retainAll(memberNumbers);
    counters.keySet().removeIf(rule -> !memberNumbers.contains(rule.memberNumber));
  }

  /** The estimated connections of a member. */
  int open(int memberNumber) {
    @Nullable Estimate estimate = byMember.get(memberNumber);
    return estimate == null ? 0 : (int) Math.round(estimate.open);
  }

  /** The same as of the last poll, not smoothed. */
  int openNow(int memberNumber) {
    @Nullable Estimate estimate = byMember.get(memberNumber);
    return estimate == null ? 0 : (int) Math.round(Math.max(0, estimate.balance));
  }

  /** How many connections buckets have placed on a member, about. */
  long opened(int memberNumber) {
    @Nullable Estimate estimate = byMember.get(memberNumber);
    return estimate == null ? 0 : estimate.opened;
  }

  /** The connections that buckets have placed on a member since the last call, about. */
  long takeOpened(int memberNumber) {
    @Nullable Estimate estimate = byMember.get(memberNumber);
    if (estimate == null) {
      return 0;
    }
    long more = Math.max(0, estimate.opened - estimate.taken);
    estimate.taken += more;
    return more;
  }

  /**
   * The connections of servers at busy times: an algorithm that is asked for the shares of few
   * connections would give them all to the best server, and the next burst with them. At least one
   * per server.
   *
   * @param exact the connections that the controller knows
   */
  double[] open(List<Server> servers, ToIntFunction<Server> exact) {
    return servers.stream()
        .mapToDouble(server -> Math.max(1, peak(server.number()) + exact.applyAsInt(server)))
        .toArray();
  }

  private double peak(int memberNumber) {
    @Nullable Estimate estimate = byMember.get(memberNumber);
    return estimate == null ? 0 : estimate.peak;
  }

  /** The mean lifetimes of connections in seconds (Little's law); not a number if unknown. */
  double[] lifetimes(List<Server> servers) {
    return servers.stream()
        .map(server -> byMember.get(server.number()))
        .mapToDouble(
            estimate ->
                estimate == null || estimate.rate < MIN_RATE
                    ? Double.NaN
                    : estimate.open / estimate.rate)
        .toArray();
  }
}
