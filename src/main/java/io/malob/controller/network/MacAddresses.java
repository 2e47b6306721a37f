package io.malob.controller.network;

import io.malob.openflow.label.Label;
import org.projectfloodlight.openflow.types.MacAddress;

/** Kinds of MAC addresses. Pure. */
public final class MacAddresses {
  private static final long GROUP_BIT = 0x01_00_00_00_00_00L;
  private static final long LINK_LOCAL = 0x0180c2000000L;
  private static final long LINK_LOCAL_MASK = 0xfffffffffff0L;

  private MacAddresses() {}

  /**
   * Whether it may be the source of a frame: it is no group address, not zero and no path label.
   */
  public static boolean isHost(MacAddress mac) {
    long bits = mac.getLong();
    return bits != 0 && (bits & GROUP_BIT) == 0 && !Label.isLabel(mac);
  }

  /** Whether frames to it stay on their link (IEEE 802.1D, table 7-10). */
  public static boolean isLinkLocal(MacAddress mac) {
    return (mac.getLong() & LINK_LOCAL_MASK) == LINK_LOCAL;
  }
}
