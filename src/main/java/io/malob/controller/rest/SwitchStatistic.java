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
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFGroupStatsReply;
import org.projectfloodlight.openflow.protocol.OFMeterConfigStatsReply;
import org.projectfloodlight.openflow.protocol.OFMeterFeaturesStatsReply;
import org.projectfloodlight.openflow.protocol.OFMeterStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFQueueStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFTableFeaturesStatsReply;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The statistics of a switch, and the form of the answer, with Floodlight's names; numbers are
 * strings, as in Floodlight. Fields that a version of OpenFlow lacks are omitted. Pure.
 */
final class SwitchStatistic {
  /** Stands for all queues, and for all meters. */
  private static final long ALL = 0xffff_ffffL;

  private static final ImmutableMap<String, Function<IOFSwitch, ListenableFuture<Object>>> BY_NAME =
      ImmutableMap.<String, Function<IOFSwitch, ListenableFuture<Object>>>builder()
          .put(
              "aggregate",
              one(
                  "aggregate",
                  of -> of.buildAggregateStatsRequest().setOutGroup(OFGroup.ANY).build(),
                  StatisticRows::sum))
          .put(
              "desc",
              one("desc", of -> of.buildDescStatsRequest().build(), StatisticRows::description))
          .put("features", SwitchStatistic::features)
          .put(
              "flow",
              all(
                  "flows",
                  of -> of.buildFlowStatsRequest().setOutGroup(OFGroup.ANY).build(),
                  OFFlowStatsReply::getEntries,
                  StatisticRows::flow))
          .put(
              "group",
              all(
                  "group",
                  of -> of.buildGroupStatsRequest().setGroup(OFGroup.ALL).build(),
                  OFGroupStatsReply::getEntries,
                  StatisticRows::group))
          .put(
              "group-desc",
              all(
                  "group_desc",
                  SwitchStatistic::groups,
                  OFGroupDescStatsReply::getEntries,
                  StatisticRows::groupDescription))
          .put(
              "group-features",
              one(
                  "group_features",
                  of -> of.buildGroupFeaturesStatsRequest().build(),
                  StatisticRows::groupFeatures))
          .put(
              "meter",
              all(
                  "meter",
                  of -> of.buildMeterStatsRequest().setMeterId(ALL).build(),
                  OFMeterStatsReply::getEntries,
                  StatisticRows::meter))
          .put(
              "meter-config",
              all(
                  "meter_config",
                  of -> of.buildMeterConfigStatsRequest().setMeterId(ALL).build(),
                  OFMeterConfigStatsReply::getEntries,
                  StatisticRows::meterConfiguration))
          .put(
              "meter-features",
              one(
                  "meter_features",
                  of -> of.buildMeterFeaturesStatsRequest().build(),
                  (OFMeterFeaturesStatsReply reply) ->
                      StatisticRows.meterFeatures(reply.getFeatures())))
          .put("port", SwitchStatistic::ports)
          .put(
              "port-desc",
              all(
                  "port_desc",
                  of -> of.buildPortDescStatsRequest().build(),
                  OFPortDescStatsReply::getEntries,
                  StatisticRows::portDescription))
          .put(
              "queue",
              all(
                  "queues",
                  of -> of.buildQueueStatsRequest().setPortNo(OFPort.ANY).setQueueId(ALL).build(),
                  OFQueueStatsReply::getEntries,
                  StatisticRows::queue))
          .put("role", SwitchStatistic::role)
          .put(
              "table",
              all(
                  "table",
                  of -> of.buildTableStatsRequest().build(),
                  OFTableStatsReply::getEntries,
                  StatisticRows::table))
          .put(
              "table-features",
              all(
                  "tableFeatures",
                  of -> of.buildTableFeaturesStatsRequest().build(),
                  OFTableFeaturesStatsReply::getEntries,
                  StatisticRows::tableFeature))
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

  /**
   * Asks for a list of entries: shown under that name, beside the version, once. Rows are created
   * one by one while they are written: together they need more memory than the answer.
   */
  private static <R extends OFStatsReply, E> Function<IOFSwitch, ListenableFuture<Object>> all(
      String name,
      Function<OFFactory, OFStatsRequest<R>> request,
      Function<R, List<E>> entries,
      Function<E, Row> row) {
    return sw ->
        ask(
            sw,
            request,
            replies -> {
              Iterable<Map<String, Object>> rows =
                  () ->
                      replies.stream()
                          .flatMap(reply -> entries.apply(reply).stream())
                          .map(entry -> row.apply(entry).fields())
                          .iterator();
              return new Row()
                  .add("version", sw.getOFFactory()::getVersion)
                  .put(name, rows)
                  .fields();
            });
  }

  /** Asks for one object: shown under that name. */
  private static <R extends OFStatsReply> Function<IOFSwitch, ListenableFuture<Object>> one(
      String name, Function<OFFactory, OFStatsRequest<R>> request, Function<R, Row> row) {
    return sw -> ask(sw, request, replies -> Map.of(name, row.apply(replies.get(0)).fields()));
  }

  private static <R extends OFStatsReply> ListenableFuture<Object> ask(
      IOFSwitch sw,
      Function<OFFactory, OFStatsRequest<R>> request,
      com.google.common.base.Function<List<R>, Object> shown) {
    return Futures.transform(
        sw.writeStatsRequest(request.apply(sw.getOFFactory())),
        shown,
        MoreExecutors.directExecutor());
  }

  private static OFGroupDescStatsRequest groups(OFFactory of) {
    return of.getVersion() == OFVersion.OF_15
        ? of.buildGroupDescStatsRequest().setGroup(OFGroup.ALL).build()
        : of.buildGroupDescStatsRequest().build();
  }

  /** Floodlight nests the rows of ports in another list. */
  private static ListenableFuture<Object> ports(IOFSwitch sw) {
    return Futures.transform(
        all(
                "port",
                of -> of.buildPortStatsRequest().setPortNo(OFPort.ANY).build(),
                OFPortStatsReply::getEntries,
                StatisticRows::port)
            .apply(sw),
        reply -> Map.of("port_reply", List.of(reply)),
        MoreExecutors.directExecutor());
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
}
