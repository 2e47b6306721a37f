package io.malob.controller.network.links;

import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import org.projectfloodlight.openflow.types.MacAddress;

/** The two kinds of probes, and of the links that they find. */
public enum ProbeKind {
  /** To the nearest bridge (IEEE 802.1AB), which does not pass it on: finds cables. */
  LLDP(0x88cc, 0x0180c200000eL, LinkType.DIRECT_LINK),
  /** Broadcast: also finds switches that are joined by legacy switches. */
  BDDP(0x8942, 0xffff_ffff_ffffL, LinkType.MULTIHOP_LINK);

  private final int etherType;
  private final long destination;
  private final LinkType linkType;

  ProbeKind(int etherType, long destination, LinkType linkType) {
    this.etherType = etherType;
    this.destination = destination;
    this.linkType = linkType;
  }

  int etherType() {
    return etherType;
  }

  MacAddress destination() {
    return MacAddress.of(destination);
  }

  LinkType linkType() {
    return linkType;
  }
}
