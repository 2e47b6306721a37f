package net.floodlightcontroller.linkdiscovery.internal;

import java.util.Date;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery;

/** When a link was first seen, and when its probes last arrived: LLDP directly, BDDP broadcast. */
public class LinkInfo {
  private final Date firstSeenTime;
  private final Date lastLldpReceivedTime;
  private final Date lastBddpReceivedTime;

  public LinkInfo(Date firstSeenTime, Date lastLldpReceivedTime, Date lastBddpReceivedTime) {
    this.firstSeenTime = firstSeenTime;
    this.lastLldpReceivedTime = lastLldpReceivedTime;
    this.lastBddpReceivedTime = lastBddpReceivedTime;
  }

  /** Direct if LLDP crosses the link, multi-hop if only broadcasts do. */
  public ILinkDiscovery.LinkType getLinkType() {
    if (lastLldpReceivedTime != null) {
      return ILinkDiscovery.LinkType.DIRECT_LINK;
    }
    return lastBddpReceivedTime != null
        ? ILinkDiscovery.LinkType.MULTIHOP_LINK
        : ILinkDiscovery.LinkType.INVALID_LINK;
  }

  @Override
  public String toString() {
    return getLinkType() + " since " + firstSeenTime;
  }
}
