package io.malob.controller.bond;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;

/** The messages about the group of a bond. Pure. */
final class BondGroup {
  private BondGroup() {}

  /** Adds the group, or is refused if the switch has it. */
  static OFMessage add(OFFactory factory, OFGroup group, OFGroupType type, List<OFPort> ports) {
    return message(factory, factory.buildGroupAdd(), group, type, ports);
  }

  /** Changes the group. */
  static OFMessage change(OFFactory factory, OFGroup group, OFGroupType type, List<OFPort> ports) {
    return message(factory, factory.buildGroupModify(), group, type, ports);
  }

  private static OFMessage message(
      OFFactory factory,
      OFGroupMod.Builder message,
      OFGroup group,
      OFGroupType type,
      List<OFPort> ports) {
    return message
        .setGroup(group)
        .setGroupType(type)
        .setBuckets(ports.stream().map(port -> bucket(factory, type, port)).toList())
        .build();
  }

  /** Switches skip the bucket of a port that is down before the controller knows of it. */
  private static OFBucket bucket(OFFactory factory, OFGroupType type, OFPort port) {
    return factory
        .buildBucket()
        .setWeight(type == OFGroupType.SELECT ? 1 : 0)
        .setWatchPort(port)
        .setWatchGroup(OFGroup.ANY)
        .setActions(List.of(factory.actions().output(port, Integer.MAX_VALUE)))
        .build();
  }
}
