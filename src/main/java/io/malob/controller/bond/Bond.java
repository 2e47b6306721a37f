package io.malob.controller.bond;

import com.google.common.collect.ImmutableList;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Ports of a switch that lead to one host.
 *
 * @param ports two or more; the first one stands for the bond
 * @param isLacp whether the host's ports wait for a partner of LACP (IEEE 802.1AX)
 */
public record Bond(DatapathId switchId, ImmutableList<OFPort> ports, boolean isLacp) {
  /** The first bits of the ids of groups of bonds; the first port follows. */
  private static final int BASE = 0x4d42_0000;

  static final int MAX_PORT = 0xfeff;

  OFPort first() {
    return ports.get(0);
  }

  /** The group that distributes frames to the host over the ports. */
  OFGroup group() {
    return OFGroup.of(BASE | first().getPortNumber());
  }
}
