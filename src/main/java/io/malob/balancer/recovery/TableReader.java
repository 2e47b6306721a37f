package io.malob.balancer.recovery;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRules;
import io.malob.openflow.LabelGroups;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Reads all rules of this module from one switch, in slices of a few thousand, so that a large
 * table neither needs much memory nor blocks the executor for long. Not thread-safe: everything
 * runs on one serial executor.
 */
final class TableReader {
  private static final int RULES_PER_SLICE = 4_096;
  private static final int MAX_SLICES = 1 << 16;

  private final IOFSwitch sw;
  private final boolean hasGroups;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Sink sink;
  private long progressNanos;
  private boolean over;

  /** Receives the rules. */
  interface Sink {
    /** The ports of all groups of labels, by label, before any rule. */
    void foundGroups(Map<Integer, OFPort> ports);

    /** Some of the rules. No rule is passed twice. */
    void found(List<OFFlowStatsEntry> rules);

    /** All rules have been passed. */
    void complete();

    /** The switch did not report all rules. */
    void failed(String why);
  }

  /**
   * Reads one switch.
   *
   * @param hasGroups whether its layout has groups
   */
  TableReader(
      IOFSwitch sw, boolean hasGroups, Executor serialExecutor, LongSupplier nanoTime, Sink sink) {
    this.sw = sw;
    this.hasGroups = hasGroups;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.sink = sink;
    this.progressNanos = nanoTime.getAsLong();
  }

  /** Starts to read. */
  void start() {
    if (hasGroups) {
      readGroups();
    } else {
      readRules();
    }
  }

  private void readGroups() {
    ask(
        sw.getOFFactory().buildGroupDescStatsRequest().build(),
        answer -> {
          sink.foundGroups(LabelGroups.ports(answer));
          readRules();
        },
        this::giveUp);
  }

  private void readRules() {
    // not every switch reports its number of rules; without it, all are read as one slice
    ask(
        sw.getOFFactory().buildTableStatsRequest().build(),
        answer -> read(0, slicesFor(countOf(answer))),
        unknown -> read(0, 1));
  }

  /** Stops the reading and reports it to the sink as failed. */
  void giveUp(String why) {
    if (!over) {
      over = true;
      sink.failed(why);
    }
  }

  /** Stops the reading without a call of the sink. */
  void cancel() {
    over = true;
  }

  boolean isOver() {
    return over;
  }

  /** When the switch last answered, on the controller's monotonic clock. */
  long progressNanos() {
    return progressNanos;
  }

  private static long countOf(List<OFTableStatsReply> answer) {
    long count = 0;
    for (OFTableStatsReply part : answer) {
      for (OFTableStatsEntry table : part.getEntries()) {
        if (table.getTableId().getValue() < FlowLayout.TABLES) {
          count += table.getActiveCount();
        }
      }
    }
    return count;
  }

  private static int slicesFor(long rules) {
    int slices = 1;
    while (slices < MAX_SLICES && (long) slices * RULES_PER_SLICE < rules) {
      slices *= 2;
    }
    return slices;
  }

  private void read(int slice, int slices) {
    if (slice == slices) {
      over = true;
      sink.complete();
      return;
    }
    ask(
        FoundRules.request(sw.getOFFactory(), slice, slices),
        answer -> {
          for (OFFlowStatsReply part : answer) {
            sink.found(part.getEntries());
          }
          read(slice + 1, slices);
        },
        this::giveUp);
  }

  private <R extends OFStatsReply> void ask(
      OFStatsRequest<R> request, Consumer<List<R>> answered, Consumer<String> failed) {
    Futures.addCallback(
        sw.writeStatsRequest(request),
        new FutureCallback<List<R>>() {
          @Override
          public void onSuccess(@Nullable List<R> answer) {
            progressNanos = nanoTime.getAsLong();
            if (!over && answer != null) {
              answered.accept(answer);
            }
          }

          @Override
          public void onFailure(Throwable cause) {
            if (!over) {
              failed.accept(String.valueOf(cause.getMessage()));
            }
          }
        },
        serialExecutor);
  }
}
