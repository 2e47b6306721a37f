package io.malob.metrics;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.module.NanoTicker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Polls switches for the number of rules in their tables: all switches one after the other within
 * ten calls of {@link #tick}, and only while the counts are read, because every answer has an entry
 * for each of up to 254 tables. One thread polls; any thread may call {@link #counts}.
 */
final class RuleCounting {
  /** The interval between calls of {@link #tick}. */
  static final long TICK_MILLIS = 1_000;

  /** Each call polls a tenth of the switches. */
  private static final int SLICES = 10;

  /** Scrapes are usually max a minute apart. */
  private static final long INTEREST_NANOS = TimeUnit.MINUTES.toNanos(2);

  /**
   * After this time without an answer, the count of a switch is dropped, and the switch is polled
   * again.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final IOFSwitchService switches;
  private final LongSupplier nanoTime;

  /** By switch, how many rules each of its tables has. */
  private final Cache<DatapathId, ImmutableMap<Integer, Long>> answers;

  /** Switches that owe an answer. */
  private final Cache<DatapathId, IOFSwitch> asked;

  private volatile @Nullable Long lookedAtNanos;
  private int slice;

  RuleCounting(IOFSwitchService switches, LongSupplier nanoTime) {
    this.switches = switches;
    this.nanoTime = nanoTime;
    CacheBuilder<Object, Object> patient =
        CacheBuilder.newBuilder().expireAfterWrite(PATIENCE).ticker(new NanoTicker(nanoTime));
    answers = patient.build();
    asked = patient.build();
  }

  /**
   * The number of rules of each non-empty table, by switch; none for switches that do not report
   * them.
   */
  ImmutableSortedMap<DatapathId, ImmutableMap<Integer, Long>> counts() {
    lookedAtNanos = nanoTime.getAsLong();
    return ImmutableSortedMap.copyOf(answers.asMap());
  }

  /** Polls the switches that are due, if the counts were read recently. */
  void tick() {
    long now = nanoTime.getAsLong();
    @Nullable Long looked = lookedAtNanos;
    if (looked == null || now - looked > INTEREST_NANOS) {
      return;
    }
    slice = (slice + 1) % SLICES;
    forgetGone(answers);
    forgetGone(asked);
    for (DatapathId id : switches.getAllSwitchDpids()) {
      boolean isItsTurn = Math.floorMod(Long.hashCode(id.getLong()), SLICES) == slice;
      @Nullable IOFSwitch sw = switches.getActiveSwitch(id);
      boolean isKnown = answers.getIfPresent(id) != null;
      if (sw != null && (isItsTurn || !isKnown) && asked.getIfPresent(id) == null) {
        ask(sw);
      }
    }
  }

  private void forgetGone(Cache<DatapathId, ?> cache) {
    cache.asMap().keySet().removeIf(id -> switches.getActiveSwitch(id) == null);
  }

  private void ask(IOFSwitch sw) {
    asked.put(sw.getId(), sw);
    ListenableFuture<List<OFTableStatsReply>> answer =
        sw.writeStatsRequest(sw.getOFFactory().buildTableStatsRequest().build());
    Futures.addCallback(
        answer,
        new FutureCallback<List<OFTableStatsReply>>() {
          @Override
          public void onSuccess(@Nullable List<OFTableStatsReply> replies) {
            if (replies != null) {
              answers.put(sw.getId(), rules(replies));
            }
            asked.invalidate(sw.getId());
          }

          @Override
          public void onFailure(Throwable cause) {
            // it is polled again later, or has disconnected
          }
        },
        MoreExecutors.directExecutor());
  }

  private static ImmutableMap<Integer, Long> rules(List<OFTableStatsReply> replies) {
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
