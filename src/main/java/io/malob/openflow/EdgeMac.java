package io.malob.openflow;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The source MAC address of the frames that a switch delivers to hosts, and of the controller's own
 * frames there. It is that of the switch's VIPs for these hosts: ARP announces it. Each switch has
 * its own, so legacy switches between several OpenFlow switches never see one address at two ports.
 * It follows from the datapath id, and identifies the switch in a packet capture.
 */
public final class EdgeMac {
  /** The first byte: a locally administered address. */
  private static final long PREFIX = 0x0eL << 40;

  private static final int BITS = 40;
  private static final long MASK = (1L << BITS) - 1;

  private EdgeMac() {}

  /** The address of a switch. */
  public static MacAddress of(DatapathId switchId) {
    long id = switchId.getLong();
    return MacAddress.of(PREFIX | ((id ^ id >>> BITS) & MASK));
  }

  /** Whether an address has the form of these; false for nearly all others. */
  public static boolean mayBe(MacAddress mac) {
    return (mac.getLong() & ~MASK) == PREFIX;
  }
}
