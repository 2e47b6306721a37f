package io.malob.monitor;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.math.IntMath;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.module.Tasks;
import io.malob.openflow.Answers;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Polls all active switches for their port statistics, once per round, a slice of them at each
 * tick, so that requests and answers are spread over time. In a large network a round has more
 * ticks, so that the cost does not grow with the network. A switch with a pending answer is not
 * polled again before it has answered or rejected the request, or the request counts as lost. All
 * but {@link #stats} is for one thread at a time: the executor that it is given.
 */
final class PortPolling {
  /** The number of ticks per round, in a small network. */
  static final int MIN_SLICES = 20;

  /** The max number of switches that are polled per second; with more, rounds take longer. */
  private static final int MAX_PER_SECOND = 250;

  static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final IOFSwitchService switches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Sink sink;
  private final Map<DatapathId, Polled> polled = new ConcurrentSkipListMap<>();
  private List<DatapathId> round = List.of();
  private final Tasks tasks;
  private final int maxInSlice;
  private int slices = MIN_SLICES;
  private int slice;

  /** Receives the results. */
  interface Sink {
    /** The transmit rates of a switch's ports, in bit/s. */
    void transmitting(DatapathId switchId, ImmutableMap<OFPort, Double> bps, long atNanos);
  }

  /** One connection of a switch. */
  private static final class Polled {
    final IOFSwitch sw;
    final PortRates rates = new PortRates();

    /** The number of the pending request; 0 if there is none. */
    long waitingFor;

    long questions;
    long askedNanos;
    volatile PollingStats stats = PollingStats.NONE;

    Polled(IOFSwitch sw) {
      this.sw = sw;
    }
  }

  /**
   * Polling that has not begun.
   *
   * @param tickMillis the time between two calls of {@link #tick}
   */
  PortPolling(
      IOFSwitchService switches,
      Executor serialExecutor,
      long tickMillis,
      LongSupplier nanoTime,
      Sink sink) {
    this.switches = switches;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.sink = sink;
    this.tasks = new Tasks(nanoTime);
    maxInSlice = (int) Math.max(1, MAX_PER_SECOND * tickMillis / 1_000);
  }

  /** Polls the next slice of the switches. */
  void tick() {
    if (slice == 0) {
      round = List.copyOf(switches.getAllSwitchDpids());
      slices = Math.max(MIN_SLICES, IntMath.divide(round.size(), maxInSlice, RoundingMode.CEILING));
      polled.keySet().removeIf(switchId -> switches.getActiveSwitch(switchId) == null);
    }
    int size = round.size();
    List<DatapathId> turn = round.subList(size * slice / slices, size * (slice + 1) / slices);
    slice = (slice + 1) % slices;
    turn.forEach(switchId -> tasks.run("asking a switch for port statistics", () -> ask(switchId)));
  }

  private void ask(DatapathId switchId) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw == null) {
      polled.remove(switchId);
      return;
    }
    Polled asked =
        polled.compute(
            switchId,
            (same, before) -> before != null && before.sw == sw ? before : new Polled(sw));
    long now = nanoTime.getAsLong();
    if (asked.waitingFor != 0) {
      if (now - asked.askedNanos < LOST_NANOS) {
        asked.stats = asked.stats.leftOut();
        return;
      }
      asked.stats = asked.stats.failed();
    }
    long question = ++asked.questions;
    asked.waitingFor = question;
    asked.askedNanos = now;
    Answers.take(
        sw.writeStatsRequest(
            sw.getOFFactory().buildPortStatsRequest().setPortNo(OFPort.ANY).build()),
        MoreExecutors.directExecutor(),
        answer -> {
          long atNanos = nanoTime.getAsLong();
          serialExecutor.execute(() -> answered(asked, question, answer, atNanos));
        },
        cause -> serialExecutor.execute(() -> answered(asked, question, null, 0)));
  }

  private void answered(
      Polled asked, long question, @Nullable List<OFPortStatsReply> answer, long atNanos) {
    if (asked.waitingFor != question) {
      return; // counted as lost already
    }
    asked.waitingFor = 0;
    if (answer == null) {
      asked.stats = asked.stats.failed();
      return;
    }
    asked.stats = asked.stats.answered(atNanos);
    sink.transmitting(asked.sw.getId(), asked.rates.update(answer, atNanos), atNanos);
  }

  /** The state of each switch. Safe for use by several threads. */
  ImmutableSortedMap<DatapathId, PollingStats> stats() {
    ImmutableSortedMap.Builder<DatapathId, PollingStats> all = ImmutableSortedMap.naturalOrder();
    polled.forEach((switchId, each) -> all.put(switchId, each.stats));
    return all.build();
  }
}
