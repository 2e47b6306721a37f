package io.malob.controller.rest;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsReply;
import org.projectfloodlight.openflow.protocol.OFDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFQueueStatsEntry;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * What a switch can be asked for, and how the answer is shown, with Floodlight's names; numbers are
 * texts, as there. What a version of OpenFlow does not have is left out. Pure.
 */
final class SwitchStatistic {
  private static final long ALL_QUEUES = 0xffff_ffffL;

  private static final Map<String, Function<IOFSwitch, ListenableFuture<Object>>> BY_NAME =
      Map.of(
          "port", SwitchStatistic::ports,
          "flow", SwitchStatistic::flows,
          "aggregate", SwitchStatistic::aggregate,
          "desc", SwitchStatistic::description,
          "table", SwitchStatistic::tables,
          "port-desc", SwitchStatistic::portDescriptions,
          "queue", SwitchStatistic::queues);

  private SwitchStatistic() {}

  /** How to ask a switch for this statistic; empty if there is none of this name. */
  static Optional<Function<IOFSwitch, ListenableFuture<Object>>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  private static <R extends OFStatsReply, E> ListenableFuture<Object> ask(
      IOFSwitch sw,
      String name,
      OFStatsRequest<R> request,
      Function<R, List<E>> entries,
      Function<E, Row> row) {
    return Futures.transform(
        sw.writeStatsRequest(request),
        replies ->
            Map.of(
                name,
                replies.stream()
                    .flatMap(reply -> entries.apply(reply).stream())
                    .map(entry -> row.apply(entry).fields)
                    .toList()),
        MoreExecutors.directExecutor());
  }

  private static ListenableFuture<Object> ports(IOFSwitch sw) {
    OFFactory factory = sw.getOFFactory();
    return ask(
        sw,
        "port",
        factory.buildPortStatsRequest().setPortNo(OFPort.ANY).build(),
        reply -> reply.getEntries(),
        SwitchStatistic::port);
  }

  private static Row port(OFPortStatsEntry entry) {
    return new Row()
        .add("port_number", entry::getPortNo)
        .add("receive_packets", () -> entry.getRxPackets().getBigInteger())
        .add("transmit_packets", () -> entry.getTxPackets().getBigInteger())
        .add("receive_bytes", () -> entry.getRxBytes().getBigInteger())
        .add("transmit_bytes", () -> entry.getTxBytes().getBigInteger())
        .add("receive_dropped", () -> entry.getRxDropped().getBigInteger())
        .add("transmit_dropped", () -> entry.getTxDropped().getBigInteger())
        .add("receive_errors", () -> entry.getRxErrors().getBigInteger())
        .add("transmit_errors", () -> entry.getTxErrors().getBigInteger())
        .add("receive_frame_errors", () -> entry.getRxFrameErr().getBigInteger())
        .add("receive_overrun_errors", () -> entry.getRxOverErr().getBigInteger())
        .add("receive_CRC_errors", () -> entry.getRxCrcErr().getBigInteger())
        .add("collisions", () -> entry.getCollisions().getBigInteger())
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  private static ListenableFuture<Object> flows(IOFSwitch sw) {
    OFFactory factory = sw.getOFFactory();
    return ask(
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
        SwitchStatistic::flow);
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
    return new Row()
        .add("version", entry::getVersion)
        .add("cookie", entry::getCookie)
        .add("table_id", entry::getTableId)
        .add("packet_count", () -> entry.getPacketCount().getBigInteger())
        .add("byte_count", () -> entry.getByteCount().getBigInteger())
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec)
        .add("priority", entry::getPriority)
        .add("idle_timeout_s", entry::getIdleTimeout)
        .add("hard_timeout_s", entry::getHardTimeout)
        .put("match", match)
        .put("instructions", instructions);
  }

  private static ListenableFuture<Object> aggregate(IOFSwitch sw) {
    OFFactory factory = sw.getOFFactory();
    return ask(
        sw,
        "aggregate",
        factory
            .buildAggregateStatsRequest()
            .setMatch(factory.matchWildcardAll())
            .setTableId(TableId.ALL)
            .setOutPort(OFPort.ANY)
            .setOutGroup(OFGroup.ANY)
            .build(),
        List::of,
        SwitchStatistic::aggregateOf);
  }

  private static Row aggregateOf(OFAggregateStatsReply reply) {
    return new Row()
        .add("version", reply::getVersion)
        .add("flow_count", reply::getFlowCount)
        .add("packet_count", () -> reply.getPacketCount().getBigInteger())
        .add("byte_count", () -> reply.getByteCount().getBigInteger());
  }

  private static ListenableFuture<Object> description(IOFSwitch sw) {
    return ask(
        sw,
        "desc",
        sw.getOFFactory().buildDescStatsRequest().build(),
        List::of,
        SwitchStatistic::descriptionOf);
  }

  private static Row descriptionOf(OFDescStatsReply reply) {
    return new Row()
        .add("version", reply::getVersion)
        .add("manufacturer_description", reply::getMfrDesc)
        .add("hardware_description", reply::getHwDesc)
        .add("software_description", reply::getSwDesc)
        .add("serial_number", reply::getSerialNum)
        .add("datapath_description", reply::getDpDesc);
  }

  private static ListenableFuture<Object> tables(IOFSwitch sw) {
    return ask(
        sw,
        "table",
        sw.getOFFactory().buildTableStatsRequest().build(),
        reply -> reply.getEntries(),
        SwitchStatistic::table);
  }

  private static Row table(OFTableStatsEntry entry) {
    return new Row()
        .add("table_id", entry::getTableId)
        .add("active_count", entry::getActiveCount)
        .add("lookup_count", () -> entry.getLookupCount().getBigInteger())
        .add("matched_count", () -> entry.getMatchedCount().getBigInteger());
  }

  private static ListenableFuture<Object> portDescriptions(IOFSwitch sw) {
    return ask(
        sw,
        "port_desc",
        sw.getOFFactory().buildPortDescStatsRequest().build(),
        reply -> reply.getEntries(),
        SwitchStatistic::portDescription);
  }

  private static Row portDescription(OFPortDesc port) {
    return new Row()
        .add("port_number", port::getPortNo)
        .add("hardware_address", port::getHwAddr)
        .add("name", port::getName)
        .add("config", port::getConfig)
        .add("state", port::getState)
        .add("current_features", port::getCurr)
        .add("advertised_features", port::getAdvertised)
        .add("supported_features", port::getSupported)
        .add("peer_features", port::getPeer)
        .add("curr_speed", port::getCurrSpeed)
        .add("max_speed", port::getMaxSpeed);
  }

  private static ListenableFuture<Object> queues(IOFSwitch sw) {
    return ask(
        sw,
        "queue",
        sw.getOFFactory()
            .buildQueueStatsRequest()
            .setPortNo(OFPort.ANY)
            .setQueueId(ALL_QUEUES)
            .build(),
        reply -> reply.getEntries(),
        SwitchStatistic::queue);
  }

  private static Row queue(OFQueueStatsEntry entry) {
    return new Row()
        .add("port_number", entry::getPortNo)
        .add("queue_id", entry::getQueueId)
        .add("transmit_bytes", () -> entry.getTxBytes().getBigInteger())
        .add("transmit_packets", () -> entry.getTxPackets().getBigInteger())
        .add("transmit_errors", () -> entry.getTxErrors().getBigInteger())
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  /** The fields of one row, in order. */
  private static final class Row {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    /** Adds a value as a text, or nothing if the version of OpenFlow does not have it. */
    Row add(String name, Supplier<?> value) {
      try {
        fields.put(name, String.valueOf(value.get()));
      } catch (UnsupportedOperationException e) {
        // not in this version
      }
      return this;
    }

    Row put(String name, Object value) {
      fields.put(name, value);
      return this;
    }
  }
}
