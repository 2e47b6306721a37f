package io.malob.testing;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.types.OFGroup;

/** The groups of a {@link FakeFlowTable}, of type select or indirect. */
final class FakeGroups {
  private record Group(OFGroupType type, List<OFBucket> buckets) {}

  private final Map<OFGroup, Group> groups = new TreeMap<>();

  /** Adds, modifies or deletes a group. */
  void change(OFGroupMod message) {
    OFGroup id = message.getGroup();
    switch (message.getCommand()) {
      case ADD -> {
        require(!contains(id), message, OFGroupModFailedCode.GROUP_EXISTS);
        put(message);
      }
      case MODIFY -> {
        require(contains(id), message, OFGroupModFailedCode.UNKNOWN_GROUP);
        put(message);
      }
      case DELETE -> {
        if (id.equals(OFGroup.ALL)) {
          groups.clear();
        } else {
          groups.remove(id);
        }
      }
      default -> throw new IllegalArgumentException("OFPGMFC_BAD_COMMAND: " + message);
    }
  }

  private void put(OFGroupMod message) {
    boolean oneBucket = message.getBuckets().size() == 1;
    require(
        oneBucket || message.getGroupType() != OFGroupType.INDIRECT,
        message,
        OFGroupModFailedCode.INVALID_GROUP);
    groups.put(message.getGroup(), new Group(message.getGroupType(), message.getBuckets()));
  }

  private static void require(boolean condition, OFGroupMod message, OFGroupModFailedCode code) {
    if (!condition) {
      throw new RefusedMessageException(SwitchErrors.groupModFailed(message, code));
    }
  }

  boolean contains(OFGroup group) {
    return groups.containsKey(group);
  }

  /** None if the group does not exist. */
  List<OFBucket> buckets(OFGroup id) {
    Group group = groups.get(id);
    return group == null ? List.of() : group.buckets;
  }

  void clear() {
    groups.clear();
  }

  /** The answer to a request for the descriptions of all groups. */
  List<OFGroupDescStatsEntry> tell(OFFactory factory) {
    return groups.entrySet().stream()
        .map(
            entry ->
                factory
                    .buildGroupDescStatsEntry()
                    .setGroup(entry.getKey())
                    .setGroupType(entry.getValue().type)
                    .setBuckets(entry.getValue().buckets)
                    .build())
        .toList();
  }
}
