package io.malob.controller.rest;

import com.google.common.util.concurrent.ListenableFuture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsReply;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.stat.Stat;
import org.projectfloodlight.openflow.protocol.stat.StatField;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of a switch, and their sum. OpenFlow 1.5 carries counters as a list of those that the
 * switch has: they are shown under the same names. Pure.
 */
final class FlowStatistics {
  private FlowStatistics() {}

  static ListenableFuture<Object> flows(IOFSwitch sw) {
    OFFactory factory = sw.getOFFactory();
    return SwitchStatistic.askAll(
        sw,
        "flows",
        factory
            .buildFlowStatsRequest()
            .setMatch(factory.matchWildcardAll())
            .setTableId(TableId.ALL)
            .setOutPort(OFPort.ANY)
            .setOutGroup(OFGroup.ANY)
            .build(),
        reply -> reply.getEntries(),
        FlowStatistics::flow);
  }

  private static Row flow(OFFlowStatsEntry entry) {
    Map<String, String> match = new LinkedHashMap<>();
    for (MatchField<?> field : entry.getMatch().getMatchFields()) {
      Object value =
          entry.getMatch().isPartiallyMasked(field)
              ? entry.getMatch().getMasked(field)
              : entry.getMatch().get(field);
      match.put(field.getName(), String.valueOf(value));
    }
    List<String> instructions = new ArrayList<>();
    entry.getInstructions().forEach(instruction -> instructions.add(instruction.toString()));
    Row row =
        new Row()
            .add("version", entry::getVersion)
            .add("cookie", entry::getCookie)
            .add("table_id", entry::getTableId);
    if (entry.getVersion() == OFVersion.OF_15) {
      counters(row, entry.getStats());
    } else {
      row.count("packet_count", entry::getPacketCount)
          .count("byte_count", entry::getByteCount)
          .add("duration_sec", entry::getDurationSec)
          .add("duration_nsec", entry::getDurationNsec);
    }
    return row.add("priority", entry::getPriority)
        .add("idle_timeout_s", entry::getIdleTimeout)
        .add("hard_timeout_s", entry::getHardTimeout)
        .put("match", match)
        .put("instructions", instructions);
  }

  static ListenableFuture<Object> aggregate(IOFSwitch sw) {
    OFFactory factory = sw.getOFFactory();
    return SwitchStatistic.askOne(
        sw,
        "aggregate",
        factory
            .buildAggregateStatsRequest()
            .setMatch(factory.matchWildcardAll())
            .setTableId(TableId.ALL)
            .setOutPort(OFPort.ANY)
            .setOutGroup(OFGroup.ANY)
            .build(),
        FlowStatistics::sum);
  }

  private static Row sum(OFAggregateStatsReply reply) {
    Row row = new Row().add("version", reply::getVersion);
    if (reply.getVersion() == OFVersion.OF_15) {
      return counters(row, reply.getStats());
    }
    return row.add("flow_count", reply::getFlowCount)
        .count("packet_count", reply::getPacketCount)
        .count("byte_count", reply::getByteCount);
  }

  private static Row counters(Row row, Stat stats) {
    if (has(stats, StatField.FLOW_COUNT)) {
      row.add("flow_count", () -> stats.get(StatField.FLOW_COUNT).getValue());
    }
    if (has(stats, StatField.PACKET_COUNT)) {
      row.count("packet_count", () -> stats.get(StatField.PACKET_COUNT));
    }
    if (has(stats, StatField.BYTE_COUNT)) {
      row.count("byte_count", () -> stats.get(StatField.BYTE_COUNT));
    }
    if (has(stats, StatField.DURATION)) {
      // seconds in the upper half, nanoseconds in the lower
      U64 duration = stats.get(StatField.DURATION);
      row.add("duration_sec", () -> duration.getValue() >>> 32)
          .add("duration_nsec", () -> duration.getValue() & 0xffff_ffffL);
    }
    return row;
  }

  private static <F extends OFValueType<F>> boolean has(Stat stats, StatField<F> field) {
    for (StatField<?> each : stats.getStatFields()) {
      if (each.id == field.id) {
        return true;
      }
    }
    return false;
  }
}
