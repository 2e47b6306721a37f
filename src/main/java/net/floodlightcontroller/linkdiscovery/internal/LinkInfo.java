package net.floodlightcontroller.linkdiscovery.internal;

import java.util.Date;
import java.util.Objects;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery;

/** When a link was first seen, and when its probes last arrived: LLDP directly, BDDP broadcast. */
public class LinkInfo {
  private Date firstSeenTime;
  private Date lastLldpReceivedTime;
  private Date lastBddpReceivedTime;

  public LinkInfo(Date firstSeenTime, Date lastLldpReceivedTime, Date lastBddpReceivedTime) {
    this.firstSeenTime = firstSeenTime;
    this.lastLldpReceivedTime = lastLldpReceivedTime;
    this.lastBddpReceivedTime = lastBddpReceivedTime;
  }

  public LinkInfo(LinkInfo other) {
    this(other.firstSeenTime, other.lastLldpReceivedTime, other.lastBddpReceivedTime);
  }

  public Date getFirstSeenTime() {
    return firstSeenTime;
  }

  public void setFirstSeenTime(Date firstSeenTime) {
    this.firstSeenTime = firstSeenTime;
  }

  /** When an LLDP frame last crossed the link, or null. */
  public Date getUnicastValidTime() {
    return lastLldpReceivedTime;
  }

  public void setUnicastValidTime(Date time) {
    lastLldpReceivedTime = time;
  }

  /** When a broadcast probe last crossed the link, or null. */
  public Date getMulticastValidTime() {
    return lastBddpReceivedTime;
  }

  public void setMulticastValidTime(Date time) {
    lastBddpReceivedTime = time;
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
  public int hashCode() {
    return Objects.hash(firstSeenTime, lastLldpReceivedTime, lastBddpReceivedTime);
  }

  @Override
  @SuppressWarnings("UndefinedEquals") // only java.util.Date itself is ever stored
  public boolean equals(Object other) {
    return other instanceof LinkInfo that
        && Objects.equals(firstSeenTime, that.firstSeenTime)
        && Objects.equals(lastLldpReceivedTime, that.lastLldpReceivedTime)
        && Objects.equals(lastBddpReceivedTime, that.lastBddpReceivedTime);
  }

  @Override
  public String toString() {
    return getLinkType() + " since " + firstSeenTime;
  }
}
