package io.malob.controller.rest;

import com.google.common.util.concurrent.ListenableFuture;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupFeaturesStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFGroup;

/** The groups of a switch. Pure. */
final class GroupStatistics {
  private GroupStatistics() {}

  static ListenableFuture<Object> counters(IOFSwitch sw) {
    return SwitchStatistic.askAll(
        sw,
        "group",
        sw.getOFFactory().buildGroupStatsRequest().setGroup(OFGroup.ALL).build(),
        reply -> reply.getEntries(),
        GroupStatistics::counters);
  }

  private static Row counters(OFGroupStatsEntry entry) {
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

  static ListenableFuture<Object> descriptions(IOFSwitch sw) {
    return SwitchStatistic.askAll(
        sw,
        "group_desc",
        sw.getOFFactory().getVersion() == OFVersion.OF_15
            ? sw.getOFFactory().buildGroupDescStatsRequest().setGroup(OFGroup.ALL).build()
            : sw.getOFFactory().buildGroupDescStatsRequest().build(),
        reply -> reply.getEntries(),
        GroupStatistics::description);
  }

  private static Row description(OFGroupDescStatsEntry entry) {
    return new Row()
        .add("group_type", entry::getGroupType)
        .add("group_number", entry::getGroup)
        .put("buckets", entry.getBuckets().stream().map(GroupStatistics::bucket).toList());
  }

  private static Map<String, Object> bucket(OFBucket bucket) {
    return new Row()
        .add("weight", bucket::getWeight)
        .add("watch_port", bucket::getWatchPort)
        .add("watch_group", bucket::getWatchGroup)
        .put("actions", bucket.getActions().stream().map(Object::toString).toList())
        .fields();
  }

  static ListenableFuture<Object> features(IOFSwitch sw) {
    return SwitchStatistic.askOne(
        sw,
        "group_features",
        sw.getOFFactory().buildGroupFeaturesStatsRequest().build(),
        GroupStatistics::features);
  }

  private static Row features(OFGroupFeaturesStatsReply reply) {
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
}
