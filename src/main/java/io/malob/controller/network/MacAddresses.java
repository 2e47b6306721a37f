package io.malob.controller.network;

import org.projectfloodlight.openflow.types.MacAddress;

/** What a MAC address is for. Pure. */
public final class MacAddresses {
  private static final long GROUP_BIT = 0x01_00_00_00_00_00L;
  private static final long LABEL_PREFIX = 0x0a4d4cL;
  private static final int LABEL_ID_BITS = 24;
  private static final long LINK_LOCAL = 0x0180c2000000L;
  private static final long LINK_LOCAL_MASK = 0xfffffffffff0L;

  private MacAddresses() {}

  /** Whether it is a path label: 0a:4d:4c and an id. Only destinations carry labels. */
  public static boolean isLabel(MacAddress mac) {
    return mac.getLong() >>> LABEL_ID_BITS == LABEL_PREFIX;
  }

  /** Whether a frame may come from it: not from a group, from nobody, or from a path label. */
  public static boolean isHost(MacAddress mac) {
    long bits = mac.getLong();
    return bits != 0 && (bits & GROUP_BIT) == 0 && !isLabel(mac);
  }

  /** Whether frames to it stay on their link (IEEE 802.1D, table 7-10). */
  public static boolean isLinkLocal(MacAddress mac) {
    return (mac.getLong() & LINK_LOCAL_MASK) == LINK_LOCAL;
  }
}
