package io.malob.state.report;

import com.fasterxml.jackson.annotation.JsonProperty;
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
 * Distinguishes a new report from a replayed one, without relying on the clocks of agents.
 *
 * <ul>
 *   <li>Within a run of the agent its reports count up, so a number that is not higher is a replay.
 *   <li>A delayed report is detected by the agent's steady clock: the fastest report so far defines
 *       the offset of that clock to the controller's, and others may be late by max {@link
 *       #MAX_DELAY_MILLIS}. The offset may drift by 1/1000.
 *   <li>A superseded run is never accepted again. Another run needs a later time stamp than the
 *       last report: both come from the agent's clock, so its error does not matter.
 *   <li>The reports of an agent whose clock was set back, for example by a reboot without a
 *       battery, would be dropped until the clock has caught up. So after {@link #QUIET_NANOS}
 *       without an accepted report, a new run is accepted.
 * </ul>
 *
 * <p>An attacker who has recorded all reports can, while an agent is silent for that time, replay a
 * run from before the last {@value #MAX_RUNS}, until the agent itself reports again. After a
 * restart of the controller the guard continues from {@link #memory}; reports accepted since that
 * was saved, for a few seconds, can be replayed until the agent's next report.
 *
 * <p>For one thread at a time.
 */
public final class ReplayGuard {
  /** The max delay of a report beyond the fastest one. */
  static final long MAX_DELAY_MILLIS = 30_000;

  /** The time without a report after which a new run of an agent is accepted. */
  static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** The number of earlier runs of an agent that are remembered. */
  static final int MAX_RUNS = 32;

  private static final long DRIFT = 1_000;

  private final Map<String, Heard> agents = new HashMap<>();

  /**
   * The persistent memory of an agent, as it is stored.
   *
   * @param earlierBoots its runs before the last, oldest first
   */
  public record Memory(
      String boot,
      long sequence,
      @JsonProperty("time_ms") long timeMillis,
      ImmutableList<String> earlierBoots) {

    /** Whether its last report came after the other's. */
    public boolean isLaterThan(Memory other) {
      if (boot.equals(other.boot)) {
        return sequence > other.sequence;
      } else if (earlierBoots.contains(other.boot) || other.earlierBoots.contains(boot)) {
        return earlierBoots.contains(other.boot);
      }
      // of equal times any, but for all controllers the same
      return timeMillis > other.timeMillis
          || (timeMillis == other.timeMillis && boot.compareTo(other.boot) > 0);
    }
  }

  /**
   * The state of an agent.
   *
   * @param heardNanos when its last report arrived
   * @param clocksMillis the controller's steady clock minus its own, by the fastest report; null if
   *     unknown
   */
  private record Heard(Memory memory, long heardNanos, @Nullable Long clocksMillis) {}

  /**
   * A guard that continues from another one's memory.
   *
   * @param nowNanos now, on the controller's steady clock
   */
  public ReplayGuard(Map<String, Memory> memory, long nowNanos) {
    memory.forEach((id, known) -> agents.put(id, new Heard(known, nowNanos, null)));
  }

  /** The memory to save, by agent. */
  public ImmutableMap<String, Memory> memory() {
    ImmutableMap.Builder<String, Memory> all = ImmutableMap.builder();
    agents.forEach((id, heard) -> all.put(id, heard.memory()));
    return all.build();
  }

  /**
   * Takes another controller's memory of an agent, if that one has accepted later reports.
   *
   * @param nowNanos now, on the controller's steady clock
   */
  public void learn(String agent, Memory theirs, long nowNanos) {
    @Nullable Heard ours = agents.get(agent);
    if (ours == null) {
      agents.put(agent, new Heard(theirs, nowNanos, null));
    } else if (theirs.isLaterThan(ours.memory)) {
      boolean isSameRun = theirs.boot().equals(ours.memory.boot());
      agents.put(agent, new Heard(theirs, nowNanos, isSameRun ? ours.clocksMillis : null));
    }
  }

  /** Forgets all other agents, so that the memory is bounded. */
  public void retain(Set<String> ids) {
    agents.keySet().retainAll(ids);
  }

  /**
   * Records a report that is valid in all other respects.
   *
   * @param nowNanos when it arrived, on the controller's steady clock
   * @throws RejectedReportException if it is a replay; then nothing has changed
   */
  public void admit(String agent, Stamp stamp, long nowNanos) throws RejectedReportException {
    @Nullable Heard last = agents.get(agent);
    agents.put(agent, last == null ? first(stamp, nowNanos) : next(last, stamp, nowNanos));
  }

  /** Whether this is the agent's last report. */
  boolean isLast(String agent, Stamp stamp) {
    @Nullable Heard last = agents.get(agent);
    return last != null
        && last.memory.boot().equals(stamp.boot())
        && last.memory.sequence() == stamp.sequence();
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
          Rejection.REPLAYED,
          "a report with this sequence number has already been received",
          "sequence");
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
          "another run of the agent has reported with a later time; if the clock was set back, this"
              + " run is accepted after "
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
