package io.malob.controller.rest;

import io.malob.openflow.RuleCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsReply;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupFeaturesStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupStatsEntry;
import org.projectfloodlight.openflow.protocol.OFMeterConfig;
import org.projectfloodlight.openflow.protocol.OFMeterFeatures;
import org.projectfloodlight.openflow.protocol.OFMeterStats;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsPropEthernet;
import org.projectfloodlight.openflow.protocol.OFQueueStatsEntry;
import org.projectfloodlight.openflow.protocol.OFTableFeatures;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBand;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBandDrop;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBandDscpRemark;
import org.projectfloodlight.openflow.protocol.stat.Stat;
import org.projectfloodlight.openflow.protocol.stat.StatField;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rows of statistics of switches, with Floodlight's names. OpenFlow 1.5 carries counters as a
 * list of those that the switch has: they are shown under the same names. Pure.
 */
final class StatisticRows {
  private StatisticRows() {}

  static Row flow(OFFlowStatsEntry entry) {
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

  static Row sum(OFAggregateStatsReply reply) {
    Row row = new Row().add("version", reply::getVersion);
    if (reply.getVersion() == OFVersion.OF_15) {
      return counters(row, reply.getStats());
    }
    return row.add("flow_count", reply::getFlowCount)
        .count("packet_count", reply::getPacketCount)
        .count("byte_count", reply::getByteCount);
  }

  private static Row counters(Row row, Stat stats) {
    if (RuleCounts.has(stats, StatField.FLOW_COUNT)) {
      row.add("flow_count", () -> stats.get(StatField.FLOW_COUNT).getValue());
    }
    if (RuleCounts.has(stats, StatField.PACKET_COUNT)) {
      row.count("packet_count", () -> stats.get(StatField.PACKET_COUNT));
    }
    if (RuleCounts.has(stats, StatField.BYTE_COUNT)) {
      row.count("byte_count", () -> stats.get(StatField.BYTE_COUNT));
    }
    if (RuleCounts.has(stats, StatField.DURATION)) {
      // seconds in the upper half, nanoseconds in the lower
      U64 duration = stats.get(StatField.DURATION);
      row.add("duration_sec", () -> duration.getValue() >>> 32)
          .add("duration_nsec", () -> duration.getValue() & 0xffff_ffffL);
    }
    return row;
  }

  static Row group(OFGroupStatsEntry entry) {
    List<Map<String, Object>> buckets =
        entry.getBucketStats().stream()
            .map(
                bucket ->
                    new Row()
                        .count("packet_count", bucket::getPacketCount)
                        .count("byte_count", bucket::getByteCount)
                        .fields())
            .toList();
    return new Row()
        .add("group_number", entry::getGroup)
        .add("reference_count", entry::getRefCount)
        .count("packet_count", entry::getPacketCount)
        .count("byte_count", entry::getByteCount)
        .put("bucket_counters", buckets)
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  static Row groupDescription(OFGroupDescStatsEntry entry) {
    return new Row()
        .add("group_type", entry::getGroupType)
        .add("group_number", entry::getGroup)
        .put("buckets", entry.getBuckets().stream().map(StatisticRows::bucket).toList());
  }

  private static Map<String, Object> bucket(OFBucket bucket) {
    return new Row()
        .add("weight", bucket::getWeight)
        .add("watch_port", bucket::getWatchPort)
        .add("watch_group", bucket::getWatchGroup)
        .put("actions", bucket.getActions().stream().map(Object::toString).toList())
        .fields();
  }

  static Row groupFeatures(OFGroupFeaturesStatsReply reply) {
    return new Row()
        .add("version", reply::getVersion)
        .put("capabilities", reply.getCapabilities().stream().map(Object::toString).toList())
        .add("max_groups_all", reply::getMaxGroupsAll)
        .add("max_groups_select", reply::getMaxGroupsSelect)
        .add("max_groups_indirect", reply::getMaxGroupsIndirect)
        .add("max_groups_ff", reply::getMaxGroupsFf)
        .add("actions_all", reply::getActionsAll)
        .add("actions_select", reply::getActionsSelect)
        .add("actions_indirect", reply::getActionsIndirect)
        .add("actions_ff", reply::getActionsFf);
  }

  static Row meter(OFMeterStats entry) {
    List<Map<String, Object>> bands =
        entry.getBandStats().stream()
            .map(
                band ->
                    new Row()
                        .count("packet_band_count", band::getPacketBandCount)
                        .count("byte_band_count", band::getByteBandCount)
                        .fields())
            .toList();
    return new Row()
        .add("meter_id", entry::getMeterId)
        .add("flow_count", entry::getFlowCount)
        .add("reference_count", entry::getRefCount)
        .count("packet_in_count", entry::getPacketInCount)
        .count("byte_in_count", entry::getByteInCount)
        .put("meter_band_stats", bands)
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  static Row meterConfiguration(OFMeterConfig meter) {
    return new Row()
        .add("meter_id", meter::getMeterId)
        .put("flags", meter.getFlags().stream().map(Object::toString).toList())
        .put("meter_bands", meter.getEntries().stream().map(StatisticRows::band).toList());
  }

  private static Map<String, Object> band(OFMeterBand band) {
    Row row = new Row().add("band_type", band::getType);
    if (band instanceof OFMeterBandDrop drop) {
      row.add("rate", drop::getRate).add("burst_size", drop::getBurstSize);
    } else if (band instanceof OFMeterBandDscpRemark remark) {
      row.add("rate", remark::getRate)
          .add("burst_size", remark::getBurstSize)
          .add("prec_level", remark::getPrecLevel);
    }
    return row.fields();
  }

  static Row meterFeatures(OFMeterFeatures features) {
    return new Row()
        .add("version", features::getVersion)
        .add("max_meters", features::getMaxMeter)
        .add("band_types", features::getBandTypes)
        .add("capabilities", features::getCapabilities)
        .add("max_bands", features::getMaxBands)
        .add("max_color", features::getMaxColor);
  }

  static Row port(OFPortStatsEntry entry) {
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

  static Row portDescription(OFPortDesc port) {
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

  static Row queue(OFQueueStatsEntry entry) {
    return new Row()
        .add("port", entry::getPortNo)
        .add("queue_id", entry::getQueueId)
        .count("tx_bytes", entry::getTxBytes)
        .count("tx_packets", entry::getTxPackets)
        .count("tx_errors", entry::getTxErrors)
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  static Row description(OFDescStatsReply reply) {
    return new Row()
        .add("version", reply::getVersion)
        .add("manufacturer_description", reply::getMfrDesc)
        .add("hardware_description", reply::getHwDesc)
        .add("software_description", reply::getSwDesc)
        .add("serial_number", reply::getSerialNum)
        .add("datapath_description", reply::getDpDesc);
  }

  static Row table(OFTableStatsEntry entry) {
    return new Row()
        .add("table_id", entry::getTableId)
        .add("active_count", entry::getActiveCount)
        .count("lookup_count", entry::getLookupCount)
        .count("match_count", entry::getMatchedCount);
  }

  static Row tableFeature(OFTableFeatures table) {
    return new Row()
        .add("version", table::getVersion)
        .add("table_id", table::getTableId)
        .add("name", table::getName)
        .add("metadata_match", table::getMetadataMatch)
        .add("metadata_write", table::getMetadataWrite)
        .add("config", table::getConfig)
        .add("max_entries", table::getMaxEntries);
  }
}
