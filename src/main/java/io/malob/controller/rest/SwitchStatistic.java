package io.malob.controller.rest;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsPropEthernet;
import org.projectfloodlight.openflow.protocol.OFQueueStatsEntry;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFTableFeatures;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The statistics of a switch, and the form of the answer, with Floodlight's names; numbers are
 * strings, as in Floodlight. Fields that a version of OpenFlow lacks are omitted. Pure.
 */
final class SwitchStatistic {
  private static final long ALL_QUEUES = 0xffff_ffffL;

  private static final ImmutableMap<String, Function<IOFSwitch, ListenableFuture<Object>>> BY_NAME =
      ImmutableMap.<String, Function<IOFSwitch, ListenableFuture<Object>>>builder()
          .put("aggregate", FlowStatistics::aggregate)
          .put("desc", SwitchStatistic::description)
          .put("features", SwitchStatistic::features)
          .put("flow", FlowStatistics::flows)
          .put("group", GroupStatistics::counters)
          .put("group-desc", GroupStatistics::descriptions)
          .put("group-features", GroupStatistics::features)
          .put("meter", MeterStatistics::counters)
          .put("meter-config", MeterStatistics::configuration)
          .put("meter-features", MeterStatistics::features)
          .put("port", SwitchStatistic::ports)
          .put("port-desc", SwitchStatistic::portDescriptions)
          .put("queue", SwitchStatistic::queues)
          .put("role", SwitchStatistic::role)
          .put("table", SwitchStatistic::tables)
          .put("table-features", SwitchStatistic::tableFeatures)
          .build();

  private SwitchStatistic() {}

  /** The request for this statistic; empty if there is none of this name. */
  static Optional<Function<IOFSwitch, ListenableFuture<Object>>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** The names of all statistics. */
  static ImmutableSet<String> names() {
    return BY_NAME.keySet();
  }

  /** Asks for a list of entries: shown under that name, beside the version, once. */
  static <R extends OFStatsReply, E> ListenableFuture<Object> askAll(
      IOFSwitch sw,
      String name,
      OFStatsRequest<R> request,
      Function<R, List<E>> entries,
      Function<E, Row> row) {
    return Futures.transform(
        sw.writeStatsRequest(request),
        replies ->
            new Row()
                .add("version", request::getVersion)
                .put(name, rows(replies, entries, row))
                .fields(),
        MoreExecutors.directExecutor());
  }

  /**
   * Rows that are created one by one while they are written: together they need more memory than
   * the answer.
   */
  private static <R, E> Iterable<Map<String, Object>> rows(
      List<R> replies, Function<R, List<E>> entries, Function<E, Row> row) {
    return () ->
        replies.stream()
            .flatMap(reply -> entries.apply(reply).stream())
            .map(entry -> row.apply(entry).fields())
            .iterator();
  }

  /** Asks for one object: shown under that name. */
  static <R extends OFStatsReply> ListenableFuture<Object> askOne(
      IOFSwitch sw, String name, OFStatsRequest<R> request, Function<R, Row> row) {
    return Futures.transform(
        sw.writeStatsRequest(request),
        replies -> Map.of(name, row.apply(replies.get(0)).fields()),
        MoreExecutors.directExecutor());
  }

  /** Floodlight nests the rows of ports in another list. */
  private static ListenableFuture<Object> ports(IOFSwitch sw) {
    return Futures.transform(
        askAll(
            sw,
            "port",
            sw.getOFFactory().buildPortStatsRequest().setPortNo(OFPort.ANY).build(),
            reply -> reply.getEntries(),
            SwitchStatistic::port),
        reply -> Map.of("port_reply", List.of(reply)),
        MoreExecutors.directExecutor());
  }

  private static Row port(OFPortStatsEntry entry) {
    Row row =
        new Row()
            .add("port_number", entry::getPortNo)
            .count("receive_packets", entry::getRxPackets)
            .count("transmit_packets", entry::getTxPackets)
            .count("receive_bytes", entry::getRxBytes)
            .count("transmit_bytes", entry::getTxBytes)
            .count("receive_dropped", entry::getRxDropped)
            .count("transmit_dropped", entry::getTxDropped)
            .count("receive_errors", entry::getRxErrors)
            .count("transmit_errors", entry::getTxErrors);
    if (entry.getVersion() == OFVersion.OF_13) {
      row.count("receive_frame_errors", entry::getRxFrameErr)
          .count("receive_overrun_errors", entry::getRxOverErr)
          .count("receive_CRC_errors", entry::getRxCrcErr)
          .count("collisions", entry::getCollisions);
    } else {
      entry.getProperties().stream()
          .filter(OFPortStatsPropEthernet.class::isInstance)
          .map(OFPortStatsPropEthernet.class::cast)
          .forEach(
              ethernet ->
                  row.count("receive_frame_errors", ethernet::getRxFrameErr)
                      .count("receive_overrun_errors", ethernet::getRxOverErr)
                      .count("receive_CRC_errors", ethernet::getRxCrcErr)
                      .count("collisions", ethernet::getCollisions));
    }
    return row.add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  private static ListenableFuture<Object> description(IOFSwitch sw) {
    return askOne(
        sw,
        "desc",
        sw.getOFFactory().buildDescStatsRequest().build(),
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
    return askAll(
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
        .count("lookup_count", entry::getLookupCount)
        .count("match_count", entry::getMatchedCount);
  }

  private static ListenableFuture<Object> tableFeatures(IOFSwitch sw) {
    return askAll(
        sw,
        "tableFeatures",
        sw.getOFFactory().buildTableFeaturesStatsRequest().build(),
        reply -> reply.getEntries(),
        SwitchStatistic::tableFeature);
  }

  private static Row tableFeature(OFTableFeatures table) {
    return new Row()
        .add("version", table::getVersion)
        .add("table_id", table::getTableId)
        .add("name", table::getName)
        .add("metadata_match", table::getMetadataMatch)
        .add("metadata_write", table::getMetadataWrite)
        .add("config", table::getConfig)
        .add("max_entries", table::getMaxEntries);
  }

  /** The description from the switch's handshake. */
  private static ListenableFuture<Object> features(IOFSwitch sw) {
    return Futures.immediateFuture(
        new Row()
            .add("capabilities", sw::getCapabilities)
            .add("dpid", sw::getId)
            .add("buffers", sw::getBuffers)
            .add("tables", sw::getNumTables)
            .add("version", () -> sw.getOFFactory().getVersion())
            .fields());
  }

  private static ListenableFuture<Object> role(IOFSwitch sw) {
    return Futures.immediateFuture(
        Map.of(sw.getId().toString(), sw.getControllerRole().toString()));
  }

  private static ListenableFuture<Object> portDescriptions(IOFSwitch sw) {
    return askAll(
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
    return askAll(
        sw,
        "queues",
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
        .add("port", entry::getPortNo)
        .add("queue_id", entry::getQueueId)
        .count("tx_bytes", entry::getTxBytes)
        .count("tx_packets", entry::getTxPackets)
        .count("tx_errors", entry::getTxErrors)
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }
}
