package io.malob.openflow;

import io.malob.algorithm.Attachment;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The number of a next hop, which packets carry as their source MAC address between edge switches:
 * the label says over which path, this says to whom. It follows from MAC address and VLAN alone, so
 * all controllers know it, also after a restart. Among 10,000 next hops, two have the same number
 * with a probability of 0.005 %.
 */
public final class NextHopMac {
  /** The first byte: a locally administered address. */
  private static final long PREFIX = 0x16L << 40;

  private static final int BITS = 40;
  private static final int VLAN_BITS = 12;

  private NextHopMac() {}

  /** The number of a next hop. */
  public static MacAddress of(Attachment nextHop) {
    return of(nextHop.mac(), nextHop.vlan());
  }

  /** The number of the next hop with that MAC address on that VLAN; 0 for untagged frames. */
  public static MacAddress of(MacAddress mac, int vlan) {
    // the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): each bit of the key counts
    long mix = mac.getLong() << VLAN_BITS | vlan;
    mix = (mix ^ mix >>> 30) * 0xbf58476d1ce4e5b9L;
    mix = (mix ^ mix >>> 27) * 0x94d049bb133111ebL;
    return MacAddress.of(PREFIX | (mix ^ mix >>> 31) >>> (Long.SIZE - BITS));
  }
}
