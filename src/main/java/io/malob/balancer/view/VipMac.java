package io.malob.balancer.view;

import io.malob.algorithm.AddressKey;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The MAC address of a VIP address: two fixed bytes, then the IPv4 address itself. It is stable
 * across restarts and unique to its VIP, and it identifies the VIP in a packet capture.
 */
public final class VipMac {
  private static final long PREFIX = 0x0e4dL << 32;

  private VipMac() {}

  public static MacAddress of(int addressKey) {
    return MacAddress.of(PREFIX | Integer.toUnsignedLong(addressKey));
  }

  public static MacAddress of(IPAddress<?> address) {
    return of(AddressKey.of(address));
  }
}
