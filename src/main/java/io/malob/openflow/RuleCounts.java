package io.malob.openflow;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.stat.Stat;
import org.projectfloodlight.openflow.protocol.stat.StatField;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.U64;

/**
 * The counters of a rule. In OpenFlow 1.5 they are a list of statistics, of which a switch may omit
 * some; in earlier versions they are fields.
 *
 * @param bytes of the packets that it matched, headers included
 * @param nanos how long it has been there, idle time included
 */
public record RuleCounts(long bytes, long nanos) {
  /** A number of packets that is not known. */
  public static final long UNKNOWN = -1;

  /** The counters of a removed rule; empty if the switch does not report them. */
  public static Optional<RuleCounts> of(OFFlowRemoved removed) {
    return removed.getVersion() == OFVersion.OF_15
        ? of(removed.getStats())
        : of(removed.getByteCount(), removed.getDurationSec(), removed.getDurationNsec());
  }

  /** The packets of a removed rule; {@link #UNKNOWN} if the switch does not report them. */
  public static long packets(OFFlowRemoved removed) {
    boolean isList = removed.getVersion() == OFVersion.OF_15;
    U64 packets = isList ? packets(removed.getStats()) : removed.getPacketCount();
    return Math.max(UNKNOWN, packets.getValue());
  }

  /** The packets of an existing rule; empty if the switch does not report them. */
  public static OptionalLong packets(OFFlowStatsEntry entry) {
    boolean isList = entry.getVersion() == OFVersion.OF_15;
    U64 packets = isList ? packets(entry.getStats()) : entry.getPacketCount();
    return packets.getValue() < 0 ? OptionalLong.empty() : OptionalLong.of(packets.getValue());
  }

  private static U64 packets(Stat stats) {
    return has(stats, StatField.PACKET_COUNT) ? stats.get(StatField.PACKET_COUNT) : U64.NO_MASK;
  }

  /** The counters of an existing rule; empty if the switch does not report them. */
  public static Optional<RuleCounts> of(OFFlowStatsEntry entry) {
    return entry.getVersion() == OFVersion.OF_15
        ? of(entry.getStats())
        : of(entry.getByteCount(), entry.getDurationSec(), entry.getDurationNsec());
  }

  /** The value of switches that do not count: all bits are one. */
  private static Optional<RuleCounts> of(U64 bytes, long seconds, long nanos) {
    return bytes.getValue() < 0
        ? Optional.empty()
        : Optional.of(new RuleCounts(bytes.getValue(), TimeUnit.SECONDS.toNanos(seconds) + nanos));
  }

  private static Optional<RuleCounts> of(Stat stats) {
    if (!has(stats, StatField.BYTE_COUNT) || !has(stats, StatField.DURATION)) {
      return Optional.empty();
    }
    // seconds in the upper half, nanoseconds in the lower
    long duration = stats.get(StatField.DURATION).getValue();
    return of(stats.get(StatField.BYTE_COUNT), duration >>> 32, duration & 0xffff_ffffL);
  }

  /** Whether statistics have a field. */
  public static <F extends OFValueType<F>> boolean has(Stat stats, StatField<F> field) {
    for (StatField<?> each : stats.getStatFields()) {
      if (each.id == field.id) {
        return true;
      }
    }
    return false;
  }
}
