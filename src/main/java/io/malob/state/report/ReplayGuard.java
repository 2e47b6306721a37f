package io.malob.state.report;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.state.report.Report.Stamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells a new report from an old one that was recorded and is sent again, without trusting that the
 * clocks of agents are right.
 *
 * <ul>
 *   <li>Within a run of the agent its reports count up, so a number that is not higher is a replay.
 *   <li>A report that was held back is told by the agent's steady clock: the report that took the
 *       shortest time so far shows how that clock and ours relate, and each other may be late by
 *       {@link #MAX_DELAY_MILLIS} at most. That relation may drift by 1/1000.
 *   <li>A run that was superseded never comes back. Another run needs a time stamp above that of
 *       the last report: both are the agent's own, so it does not matter by how much its clock is
 *       wrong.
 *   <li>An agent whose clock was put back, say by a reboot without a battery, would thus be dropped
 *       until that clock has caught up. So after {@link #QUIET_NANOS} without a report that
 *       counted, a run that was not seen before is taken at its word.
 * </ul>
 *
 * <p>What an attacker who has recorded everything can do: while an agent is silent for so long,
 * replay a run from before the last {@value #MAX_RUNS}, until the agent itself is heard again.
 * After a restart of the controller the guard goes on from what {@link #memory} gave; what was
 * accepted since then, a few seconds, can be replayed until the agent's next report.
 *
 * <p>For one thread at a time.
 */
public final class ReplayGuard {
  /** How much longer than the fastest a report may take. */
  static final long MAX_DELAY_MILLIS = 30_000;

  /** After so long without a report, an agent is met anew. */
  static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** How many earlier runs of an agent are remembered. */
  static final int MAX_RUNS = 32;

  private static final long DRIFT = 1_000;

  private final Map<String, Heard> agents = new HashMap<>();

  /**
   * What is remembered of an agent over a restart of the controller.
   *
   * @param earlierBoots its runs before the last, oldest first
   */
  public record Memory(
      String boot, long sequence, long timeMillis, ImmutableList<String> earlierBoots) {}

  /**
   * What is known of an agent.
   *
   * @param heardNanos when its last report came
   * @param clocksMillis our steady clock less its own, by the fastest report; null if not known
   */
  private record Heard(Memory memory, long heardNanos, @Nullable Long clocksMillis) {}

  /**
   * A guard that goes on from what another one remembered.
   *
   * @param nowNanos now, on the controller's steady clock
   */
  public ReplayGuard(Map<String, Memory> memory, long nowNanos) {
    memory.forEach((id, known) -> agents.put(id, new Heard(known, nowNanos, null)));
  }

  /** What to keep over a restart, by agent. */
  public ImmutableMap<String, Memory> memory() {
    ImmutableMap.Builder<String, Memory> all = ImmutableMap.builder();
    agents.forEach((id, heard) -> all.put(id, heard.memory()));
    return all.build();
  }

  /** Forgets all agents but these, so that what is kept is bounded by their number. */
  public void retain(Set<String> ids) {
    agents.keySet().retainAll(ids);
  }

  /**
   * Takes note of a report, which must be fine in every other respect.
   *
   * @param nowNanos when it came, on the controller's steady clock
   * @throws RejectedReportException if it is not a new one; then nothing has changed
   */
  public void admit(String agent, Stamp stamp, long nowNanos) throws RejectedReportException {
    @Nullable Heard last = agents.get(agent);
    agents.put(agent, last == null ? first(stamp, nowNanos) : next(last, stamp, nowNanos));
  }

  private static Heard first(Stamp stamp, long nowNanos) {
    return heard(stamp, ImmutableList.of(), nowNanos, clocksMillis(stamp, nowNanos));
  }

  private static Heard next(Heard last, Stamp stamp, long nowNanos) throws RejectedReportException {
    boolean isQuiet = nowNanos - last.heardNanos > QUIET_NANOS;
    return stamp.boot().equals(last.memory.boot())
        ? sameRun(last, stamp, nowNanos, isQuiet)
        : newRun(last.memory, stamp, nowNanos, isQuiet);
  }

  private static Heard sameRun(Heard last, Stamp stamp, long nowNanos, boolean isQuiet)
      throws RejectedReportException {
    if (stamp.sequence() <= last.memory.sequence()) {
      throw new RejectedReportException(
          Rejection.REPLAYED, "a report with this sequence number has already been received", "sequence");
    }
    long clocks = clocksMillis(stamp, nowNanos);
    @Nullable Long learnt = last.clocksMillis;
    if (learnt == null || isQuiet) {
      return heard(stamp, last.memory.earlierBoots(), nowNanos, clocks);
    }
    long drift = TimeUnit.NANOSECONDS.toMillis(nowNanos - last.heardNanos) / DRIFT + 1;
    long fastest = Math.min(clocks, learnt + drift);
    if (clocks - fastest > MAX_DELAY_MILLIS) {
      throw new RejectedReportException(
          Rejection.STALE, "the report arrived too late", "uptime_ms");
    }
    return heard(stamp, last.memory.earlierBoots(), nowNanos, fastest);
  }

  private static Heard newRun(Memory last, Stamp stamp, long nowNanos, boolean isQuiet)
      throws RejectedReportException {
    if (last.earlierBoots().contains(stamp.boot())) {
      throw new RejectedReportException(
          Rejection.REPLAYED, "a later run of the agent has already reported", "boot");
    }
    if (stamp.timeMillis() <= last.timeMillis() && !isQuiet) {
      throw new RejectedReportException(
          Rejection.REPLAYED,
          "another run of the agent has reported with a later time; if the clock was set back, this run is accepted after "
              + TimeUnit.NANOSECONDS.toMinutes(QUIET_NANOS)
              + " minutes",
          "time_ms");
    }
    List<String> earlier = new ArrayList<>(last.earlierBoots());
    earlier.add(last.boot());
    int from = Math.max(0, earlier.size() - MAX_RUNS);
    return heard(
        stamp,
        ImmutableList.copyOf(earlier.subList(from, earlier.size())),
        nowNanos,
        clocksMillis(stamp, nowNanos));
  }

  private static Heard heard(
      Stamp stamp, ImmutableList<String> earlierBoots, long nowNanos, long clocksMillis) {
    return new Heard(
        new Memory(stamp.boot(), stamp.sequence(), stamp.timeMillis(), earlierBoots),
        nowNanos,
        clocksMillis);
  }

  private static long clocksMillis(Stamp stamp, long nowNanos) {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos) - stamp.uptimeMillis();
  }
}
