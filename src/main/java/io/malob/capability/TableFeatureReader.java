package io.malob.capability;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.openflow.Answers;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Asks each switch for the features of its tables once per connection. The answer has about 5 kB
 * per table, and Open vSwitch has 254 tables: so only a few hundred tables are asked for at a time,
 * and not while the switch is new and has other work. One thread calls {@link #tick}; the rest is
 * thread-safe.
 */
final class TableFeatureReader {
  /** The tables that are asked for at a time; of one switch, all. */
  private static final int MAX_TABLES = 256;

  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final IOFSwitchService switches;
  private final LongSupplier nanoTime;
  private final BiConsumer<DatapathId, TableFeatures> listener;
  private final long delayNanos;
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

  private record Waiting(DatapathId switchId, long sinceNanos) {}

  /** The switches that owe an answer. */
  private final Map<DatapathId, IOFSwitch> asked = new ConcurrentHashMap<>();

  private long askedNanos;

  /**
   * Asks nothing yet.
   *
   * @param delayNanos how long after it has become active a switch is asked
   */
  TableFeatureReader(
      IOFSwitchService switches,
      LongSupplier nanoTime,
      long delayNanos,
      BiConsumer<DatapathId, TableFeatures> listener) {
    this.delayNanos = delayNanos;
    this.switches = switches;
    this.nanoTime = nanoTime;
    this.listener = listener;
  }

  /** A switch has become active. */
  void add(DatapathId switchId) {
    waiting.add(new Waiting(switchId, nanoTime.getAsLong()));
  }

  /** Asks the next switches; to be called about once a second. */
  void tick() {
    long now = nanoTime.getAsLong();
    if (!asked.isEmpty() && now - askedNanos < LOST_NANOS) {
      return;
    }
    asked.clear();
    askedNanos = now;
    int tables = 0;
    for (Waiting next = waiting.peek();
        next != null && now - next.sinceNanos >= delayNanos;
        next = waiting.peek()) {
      @Nullable IOFSwitch sw = switches.getActiveSwitch(next.switchId);
      if (sw != null) {
        if (tables > 0 && tables + sw.getNumTables() > MAX_TABLES) {
          return;
        }
        tables += sw.getNumTables();
        ask(sw);
      }
      waiting.remove();
    }
  }

  private void ask(IOFSwitch sw) {
    asked.put(sw.getId(), sw);
    Answers.take(
        sw.writeStatsRequest(sw.getOFFactory().buildTableFeaturesStatsRequest().build()),
        MoreExecutors.directExecutor(),
        replies -> {
          if (asked.remove(sw.getId(), sw)) {
            listener.accept(sw.getId(), TableFeatures.of(replies));
          }
        },
        cause -> asked.remove(sw.getId(), sw)); // the switch does not tell, or has disconnected
  }
}
