package io.malob.balancer.recovery;

import io.malob.openflow.Answers;
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
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Consumer<Map<Integer, OFPort>> groups;
  private final Consumer<List<OFFlowStatsEntry>> rules;
  private final Consumer<@Nullable String> end;
  private long progressNanos;
  private boolean over;

  /**
   * Reads one switch.
   *
   * @param groups receives the ports of all groups of labels, by label, before any rule
   * @param rules receives some of the rules at a time, none of them twice
   * @param end is told when everything has been passed, or why the switch did not report it
   */
  TableReader(
      IOFSwitch sw,
      Executor serialExecutor,
      LongSupplier nanoTime,
      Consumer<Map<Integer, OFPort>> groups,
      Consumer<List<OFFlowStatsEntry>> rules,
      Consumer<@Nullable String> end) {
    this.sw = sw;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.groups = groups;
    this.rules = rules;
    this.end = end;
    this.progressNanos = nanoTime.getAsLong();
  }

  /** Reads the rules of a switch, after its groups if its layout has any. */
  void read(boolean hasGroups) {
    if (hasGroups) {
      readGroups(this::readRules);
    } else {
      readRules();
    }
  }

  /** Reads the groups alone. */
  void readGroups() {
    readGroups(() -> finish(null));
  }

  private void readGroups(Runnable then) {
    ask(
        sw.getOFFactory().buildGroupDescStatsRequest().build(),
        answer -> {
          groups.accept(LabelGroups.ports(answer));
          then.run();
        },
        this::finish);
  }

  private void readRules() {
    // not every switch reports its number of rules; without it, all are read as one slice
    ask(
        sw.getOFFactory().buildTableStatsRequest().build(),
        answer -> read(0, slicesFor(countOf(answer))),
        unknown -> read(0, 1));
  }

  /** Ends the reading, for a reason if it has failed. */
  void finish(@Nullable String why) {
    if (!over) {
      over = true;
      end.accept(why);
    }
  }

  /** Stops the reading, and tells nothing. */
  void cancel() {
    over = true;
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
      finish(null);
      return;
    }
    ask(
        FoundRules.request(sw.getOFFactory(), slice, slices),
        answer -> {
          for (OFFlowStatsReply part : answer) {
            rules.accept(part.getEntries());
          }
          read(slice + 1, slices);
        },
        this::finish);
  }

  private <R extends OFStatsReply> void ask(
      OFStatsRequest<R> request, Consumer<List<R>> answered, Consumer<String> failed) {
    Answers.take(
        sw.writeStatsRequest(request),
        serialExecutor,
        answer -> {
          progressNanos = nanoTime.getAsLong();
          if (!over) {
            answered.accept(answer);
          }
        },
        cause -> {
          if (!over) {
            failed.accept(String.valueOf(cause.getMessage()));
          }
        });
  }
}
