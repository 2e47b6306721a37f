package io.malob.balancer.view;

import com.google.common.hash.Hashing;
import com.google.common.primitives.Ints;
import io.malob.algorithm.AddressKey;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The MAC address of a VIP address: two fixed bytes, then the IPv4 address itself, or the CRC of
 * the IPv6 address, which differs for any two addresses that differ in 32 adjacent bits only. It is
 * stable across restarts and the same at all controllers, and it identifies the VIP in a packet
 * capture.
 */
public final class VipMac {
  private static final long PREFIX_IPV4 = 0x0e4dL << 32;
  private static final long PREFIX_IPV6 = 0x0e4eL << 32;

  private VipMac() {}

  public static MacAddress of(int addressKey) {
    return of(AddressKey.toAddress(addressKey));
  }

  public static MacAddress of(IPAddress<?> address) {
    byte[] bytes = address.getBytes();
    return address.getIpVersion() == IPVersion.IPv4
        ? of(PREFIX_IPV4, Ints.fromByteArray(bytes))
        : of(PREFIX_IPV6, Hashing.crc32c().hashBytes(bytes).asInt());
  }

  private static MacAddress of(long prefix, int rest) {
    return MacAddress.of(prefix | Integer.toUnsignedLong(rest));
  }
}
