package io.malob.monitor;

import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * What the ports of one switch transmit, by the difference of two readings of their counters. The
 * time between these is the switch's own, where it tells how long each port has been there to
 * better than a second: that knows nothing of delays on the way. Not safe for use by several
 * threads.
 */
final class PortRates {
  /** What a switch says that does not count. */
  private static final long NOT_COUNTED = -1;

  private static final long UNKNOWN_SECONDS = 0xffff_ffffL;
  private static final long UNTOLD = -1;

  private Map<OFPort, Reading> before = Map.of();

  /**
   * One look at a port's counter.
   *
   * @param txBytes unsigned
   * @param lifeNanos how long the port had been there; {@link #UNTOLD} if the switch does not tell
   *     it with fractions of seconds
   * @param atNanos when it arrived
   */
  private record Reading(long txBytes, long lifeNanos, long atNanos) {}

  /**
   * Takes over an answer.
   *
   * @param atNanos when it arrived, on the controller's steady clock
   * @return in bit/s, what each port has transmitted since the answer before; without those that
   *     were not in that, or have started to count anew
   */
  ImmutableMap<OFPort, Double> update(List<OFPortStatsReply> answer, long atNanos) {
    ImmutableMap.Builder<OFPort, Double> rates = ImmutableMap.builder();
    Map<OFPort, Reading> now = new HashMap<>();
    for (OFPortStatsReply part : answer) {
      for (OFPortStatsEntry entry : part.getEntries()) {
        OFPort port = entry.getPortNo();
        long txBytes = entry.getTxBytes().getValue();
        if (txBytes == NOT_COUNTED) {
          continue;
        }
        Reading reading = new Reading(txBytes, lifeNanos(entry), atNanos);
        if (now.put(port, reading) == null) {
          rate(before.get(port), reading).ifPresent(bps -> rates.put(port, bps));
        }
      }
    }
    before = now;
    return rates.build();
  }

  private static long lifeNanos(OFPortStatsEntry entry) {
    if (entry.getVersion().compareTo(OFVersion.OF_13) < 0) {
      return UNTOLD;
    }
    long seconds = entry.getDurationSec();
    long nanos = entry.getDurationNsec();
    boolean isFine = seconds != UNKNOWN_SECONDS && nanos > 0 && nanos < 1_000_000_000;
    return isFine ? TimeUnit.SECONDS.toNanos(seconds) + nanos : UNTOLD;
  }

  /** A difference that is negative as a signed number is a reset; a wrap of 64 bits is not. */
  private static OptionalDouble rate(@Nullable Reading before, Reading now) {
    if (before == null) {
      return OptionalDouble.empty();
    }
    boolean told = before.lifeNanos != UNTOLD && now.lifeNanos != UNTOLD;
    long elapsedNanos = told ? now.lifeNanos - before.lifeNanos : now.atNanos - before.atNanos;
    long bytes = now.txBytes - before.txBytes;
    return elapsedNanos <= 0 || bytes < 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(bytes * 8e9 / elapsedNanos);
  }
}
