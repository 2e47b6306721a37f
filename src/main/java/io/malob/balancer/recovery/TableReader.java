package io.malob.balancer.recovery;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRules;
import java.util.List;
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

/**
 * Asks one switch for all rules of ours, a few thousand at a time, so that a large table needs
 * neither much memory nor a long turn of the executor. All of it runs on one executor, in order.
 */
final class TableReader {
  private static final int RULES_PER_SLICE = 4_096;
  private static final int MAX_SLICES = 1 << 16;

  private final IOFSwitch sw;
  private final Executor inOrder;
  private final LongSupplier nanoTime;
  private final Sink sink;
  private long progressNanos;
  private boolean over;

  /** Takes what is read. */
  interface Sink {
    /** Some of the rules; none comes twice. */
    void found(List<OFFlowStatsEntry> rules);

    /** That were all. */
    void complete();

    /** The switch did not tell all. */
    void failed(String why);
  }

  TableReader(IOFSwitch sw, Executor inOrder, LongSupplier nanoTime, Sink sink) {
    this.sw = sw;
    this.inOrder = inOrder;
    this.nanoTime = nanoTime;
    this.sink = sink;
    this.progressNanos = nanoTime.getAsLong();
  }

  /** Starts to ask. */
  void start() {
    // without the number of rules, which not every switch tells, they come in one piece
    ask(
        sw.getOFFactory().buildTableStatsRequest().build(),
        answer -> read(0, slicesFor(countOf(answer))),
        unknown -> read(0, 1));
  }

  /** Stops it: nothing more comes, as if the switch had not answered. */
  void giveUp(String why) {
    if (!over) {
      over = true;
      sink.failed(why);
    }
  }

  /** Stops it: nothing more comes at all. */
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
        inOrder);
  }
}
