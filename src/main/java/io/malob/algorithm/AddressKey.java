package io.malob.algorithm;

import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * The number by which the packet path knows an address. Five-tuples, packets and the catalog's
 * indexes hold keys, so that a packet is placed without an object for each of its addresses; all
 * other code holds {@link IPAddress} and converts here. The key of an IPv4 address is the address
 * itself. IPv6 addresses have no keys yet; support for IPv6 VIPs adds them here (ADR 30).
 */
public final class AddressKey {
  private AddressKey() {}

  /**
   * The key of an address.
   *
   * @throws IllegalArgumentException if it is not an IPv4 address
   */
  public static int of(IPAddress<?> address) {
    if (address instanceof IPv4Address ipv4) {
      return ipv4.getInt();
    }
    throw new IllegalArgumentException("an IPv6 address has no key: " + address);
  }

  /** The address that has this key. */
  public static IPAddress<?> toAddress(int key) {
    return IPv4Address.of(key);
  }
}
