package io.malob.mptcp;

import io.malob.openflow.IpFamily;
import java.math.BigInteger;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * The addresses that hosts of a network can have, as numbers. Immutable.
 *
 * @param first the lowest one
 * @param last the highest one
 */
record HostRange(IpFamily family, BigInteger first, BigInteger last) {
  /** Only the broadcast address. */
  private static final long RESERVED_IPV4 = 1;

  /** The highest 128 are anycast addresses (RFC 2526). */
  private static final long RESERVED_IPV6 = 128;

  /** All of a network but its lowest address, and the reserved ones at its end. */
  static HostRange of(IPAddressWithMask<?> network) {
    BigInteger lowest = number(network.getValue());
    BigInteger mask = number(network.getMask());
    BigInteger size = mask.andNot(mask.subtract(BigInteger.ONE));
    IpFamily family = IpFamily.of(network.getIpVersion());
    long reserved = family == IpFamily.IPV4 ? RESERVED_IPV4 : RESERVED_IPV6;
    return new HostRange(
        family,
        lowest.add(BigInteger.ONE),
        lowest.add(size).subtract(BigInteger.valueOf(reserved + 1)));
  }

  /** An address as a number. */
  static BigInteger number(IPAddress<?> address) {
    return new BigInteger(1, address.getBytes());
  }

  /** The address with this number. */
  IPAddress<?> address(BigInteger number) {
    return family == IpFamily.IPV4
        ? IPv4Address.of(number.intValue())
        : IPv6Address.of(number.shiftRight(Long.SIZE).longValue(), number.longValue());
  }

  boolean contains(BigInteger number) {
    return first.compareTo(number) <= 0 && number.compareTo(last) <= 0;
  }
}
