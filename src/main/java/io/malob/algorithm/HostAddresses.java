package io.malob.algorithm;

import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** Which addresses hosts can have. Pure. */
public final class HostAddresses {
  private HostAddresses() {}

  /**
   * Whether this is the unicast address of a host beyond its own link: of IPv4 without the reserved
   * 240.0.0.0/4; of IPv6 global or unique local, which is 2000::/3 or fc00::/7.
   */
  public static boolean isUnicast(IPAddress<?> address) {
    int first = address.getBytes()[0] & 0xff;
    return address.getIpVersion() == IPVersion.IPv4
        ? first != 0 && first != 127 && first < 224
        : first >> 5 == 1 || first >> 1 == 0x7e;
  }
}
