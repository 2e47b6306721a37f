package io.malob.controller.bond;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFGroupModFailedErrorMsg;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of the bonds at one connection. They are sent before the first message that needs
 * them, because only the master may write. For one thread.
 */
final class BondGroups {
  private static final Logger logger = LoggerFactory.getLogger(BondGroups.class);

  private final OFFactory factory;

  /** What was sent last, by bond. */
  private final Map<Bond, List<OFPort>> sent = new HashMap<>();

  /** Switches without select groups may have those of fast failover. */
  private final Set<Bond> withoutSelect = new HashSet<>();

  /** The latest messages, by transaction id: each group has two. */
  private final Map<Long, Bond> byXid = new HashMap<>();

  BondGroups(OFFactory factory) {
    this.factory = factory;
  }

  /** The messages that give the switch the group; empty if it has it. */
  List<OFMessage> install(Bond bond, List<OFPort> ports) {
    if (sent.containsKey(bond)) {
      return List.of();
    }
    sent.put(bond, ports);
    // one of the two is refused: the switch may have the group from an earlier connection
    OFMessage add = BondGroup.add(factory, bond.group(), type(bond), ports);
    OFMessage change = BondGroup.change(factory, bond.group(), type(bond), ports);
    byXid.values().removeIf(bond::equals);
    byXid.put(add.getXid(), bond);
    byXid.put(change.getXid(), bond);
    return List.of(add, change);
  }

  /** The messages that give a group, if the switch has it, its ports; empty if it has them. */
  List<OFMessage> update(Bond bond, List<OFPort> ports) {
    if (ports.equals(sent.getOrDefault(bond, ports))) {
      return List.of();
    }
    sent.remove(bond);
    return install(bond, ports);
  }

  private OFGroupType type(Bond bond) {
    return withoutSelect.contains(bond) ? OFGroupType.FF : OFGroupType.SELECT;
  }

  /** Whether an error is about a group of a bond; adds the messages that try anew. */
  boolean takes(OFErrorMsg error, List<OFMessage> again) {
    Bond bond = byXid.get(error.getXid());
    if (bond == null) {
      return false;
    }
    if (error instanceof OFGroupModFailedErrorMsg failed) {
      if (failed.getCode() == OFGroupModFailedCode.GROUP_EXISTS) {
        return true;
      }
      if (failed.getCode() == OFGroupModFailedCode.BAD_TYPE && withoutSelect.add(bond)) {
        List<OFPort> ports = new ArrayList<>(sent.getOrDefault(bond, bond.ports()));
        sent.remove(bond);
        again.addAll(install(bond, ports));
        return true;
      }
    }
    if (error instanceof OFBadRequestErrorMsg bad && bad.getCode() == OFBadRequestCode.IS_SLAVE) {
      sent.remove(bond); // it is sent again when this controller is the master
      return true;
    }
    logger.warn(
        "bond_group_refused switch={} ports=\"{}\" error=\"{}\" - its host gets no packets",
        bond.switchId(),
        bond.ports(),
        error);
    return true;
  }
}
