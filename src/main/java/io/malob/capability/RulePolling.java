package io.malob.capability;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.module.NanoTicker;
import io.malob.openflow.Answers;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Polls switches for the number of rules in their tables: all switches one after the other within
 * ten calls of {@link #tick}, because every answer has an entry for each of up to 254 tables. One
 * thread polls.
 */
final class RulePolling {
  /** The interval between calls of {@link #tick}. */
  static final long TICK_MILLIS = 1_000;

  /** Each call polls a tenth of the switches. */
  private static final int SLICES = 10;

  /** After this time without an answer, a switch is polled again. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final IOFSwitchService switches;
  private final BiConsumer<DatapathId, ImmutableMap<Integer, Long>> listener;

  /** Switches that owe an answer. */
  private final Cache<DatapathId, IOFSwitch> asked;

  private int slice;

  /**
   * Polling that has not begun.
   *
   * @param listener gets the number of rules of each table of a switch that has any, on the thread
   *     that has read the answer
   */
  RulePolling(
      IOFSwitchService switches,
      LongSupplier nanoTime,
      BiConsumer<DatapathId, ImmutableMap<Integer, Long>> listener) {
    this.switches = switches;
    this.listener = listener;
    asked =
        CacheBuilder.newBuilder()
            .expireAfterWrite(PATIENCE)
            .ticker(new NanoTicker(nanoTime))
            .build();
  }

  /** Polls the switches that are due. */
  void tick() {
    slice = (slice + 1) % SLICES;
    for (DatapathId id : switches.getAllSwitchDpids()) {
      @Nullable IOFSwitch sw = switches.getActiveSwitch(id);
      boolean isItsTurn = Math.floorMod(Long.hashCode(id.getLong()), SLICES) == slice;
      if (sw != null && isItsTurn && asked.getIfPresent(id) != sw) {
        ask(sw);
      }
    }
  }

  private void ask(IOFSwitch sw) {
    asked.put(sw.getId(), sw);
    Answers.take(
        sw.writeStatsRequest(sw.getOFFactory().buildTableStatsRequest().build()),
        MoreExecutors.directExecutor(),
        replies -> {
          if (asked.asMap().remove(sw.getId(), sw)) {
            listener.accept(sw.getId(), rules(replies));
          }
        },
        cause -> {}); // it is polled again later, or has disconnected
  }

  /** The number of rules of each table that has any, from a switch's answer. */
  static ImmutableMap<Integer, Long> rules(List<OFTableStatsReply> replies) {
    ImmutableSortedMap.Builder<Integer, Long> rules = ImmutableSortedMap.naturalOrder();
    for (OFTableStatsReply reply : replies) {
      for (OFTableStatsEntry entry : reply.getEntries()) {
        if (entry.getActiveCount() > 0) {
          rules.put((int) entry.getTableId().getValue(), entry.getActiveCount());
        }
      }
    }
    return ImmutableMap.copyOf(rules.build());
  }
}
