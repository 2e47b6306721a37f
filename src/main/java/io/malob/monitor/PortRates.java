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
 * The transmit rates of one switch's ports, from the difference of two readings of their counters.
 * The time between these is the switch's own, if the switch reports the age of each port to better
 * than a second: it is independent of delays. Not safe for use by several threads.
 */
final class PortRates {
  /** The value of switches that do not count. */
  private static final long NOT_COUNTED = -1;

  private static final long UNKNOWN_SECONDS = 0xffff_ffffL;
  private static final long UNTOLD = -1;

  private Map<OFPort, Reading> before = Map.of();

  /**
   * One reading of a port's counter.
   *
   * @param txBytes unsigned
   * @param lifeNanos the age of the port; {@link #UNTOLD} if the switch does not report it with
   *     fractions of seconds
   * @param atNanos when it arrived
   */
  private record Reading(long txBytes, long lifeNanos, long atNanos) {}

  /**
   * Handles an answer.
   *
   * @param atNanos when it arrived, on the controller's steady clock
   * @return the transmit rate of each port since the previous answer, in bit/s; without new ports,
   *     and those whose counters were reset
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
