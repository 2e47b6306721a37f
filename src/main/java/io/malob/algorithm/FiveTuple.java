package io.malob.algorithm;

import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The identity of a connection: protocol, addresses and ports of the packets that flow in one
 * direction, both of one IP version. ICMP has no ports: both are zero. ICMPv6 has the protocol
 * number of ICMP here: the addresses tell which it is. Packed into two longs, because every packet
 * that reaches the controller is looked up by it; addresses are {@link AddressKey}s.
 *
 * @param addresses key of the source address in the upper half, of the destination in the lower
 * @param protocolAndPorts IP protocol number above source port above destination port, 16 bits each
 */
public record FiveTuple(long addresses, long protocolAndPorts) implements Comparable<FiveTuple> {

  /** The tuple of these parts. Ports are numbers from 0 to 65535. */
  public static FiveTuple of(
      int protocol, int srcAddress, int srcPort, int dstAddress, int dstPort) {
    return new FiveTuple(
        (long) srcAddress << 32 | Integer.toUnsignedLong(dstAddress),
        (long) protocol << 32 | (long) srcPort << 16 | dstPort);
  }

  /**
   * The same of addresses.
   *
   * @throws IllegalArgumentException if one of them has no {@link AddressKey}
   */
  public static FiveTuple of(
      int protocol, IPAddress<?> src, int srcPort, IPAddress<?> dst, int dstPort) {
    return of(protocol, AddressKey.of(src), srcPort, AddressKey.of(dst), dstPort);
  }

  /** Whether this is IPv6. */
  public boolean isIpv6() {
    return AddressKey.isIpv6(dstAddress());
  }

  /** The IP protocol number. */
  public int protocol() {
    return (int) (protocolAndPorts >>> 32);
  }

  /** The key of the source address. */
  public int srcAddress() {
    return (int) (addresses >>> 32);
  }

  /** The key of the destination address. */
  public int dstAddress() {
    return (int) addresses;
  }

  /** The source address; allocated anew. */
  public IPAddress<?> source() {
    return AddressKey.toAddress(srcAddress());
  }

  /** The destination address; allocated anew. */
  public IPAddress<?> destination() {
    return AddressKey.toAddress(dstAddress());
  }

  /** The source port. */
  public int srcPort() {
    return (int) (protocolAndPorts >>> 16) & 0xffff;
  }

  /** The destination port. */
  public int dstPort() {
    return (int) protocolAndPorts & 0xffff;
  }

  /** The tuple of the packets in the other direction. */
  public FiveTuple reversed() {
    return of(protocol(), dstAddress(), dstPort(), srcAddress(), srcPort());
  }

  /** By source address, destination address, protocol, source port, destination port. */
  @Override
  public int compareTo(FiveTuple other) {
    int bySource = compare(srcAddress(), other.srcAddress());
    int byAddresses = bySource != 0 ? bySource : compare(dstAddress(), other.dstAddress());
    return byAddresses != 0
        ? byAddresses
        : Long.compareUnsigned(protocolAndPorts, other.protocolAndPorts);
  }

  /** By the addresses, not by the keys, whose order differs from process to process. */
  private static int compare(int key, int otherKey) {
    if (!AddressKey.isIpv6(key) || !AddressKey.isIpv6(otherKey)) {
      return Integer.compareUnsigned(key, otherKey);
    }
    int byUpper = Long.compareUnsigned(AddressKey.upper(key), AddressKey.upper(otherKey));
    return byUpper != 0
        ? byUpper
        : Long.compareUnsigned(AddressKey.lower(key), AddressKey.lower(otherKey));
  }

  /**
   * Mixes all bits. The two halves are multiplied apart: addresses and ports that count up
   * together, as those of many clients do, would otherwise cancel each other out.
   */
  @Override
  public int hashCode() {
    long mixed = addresses * 0x9E3779B97F4A7C15L + protocolAndPorts * 0xC2B2AE3D27D4EB4FL;
    return (int) (mixed ^ mixed >>> 32);
  }

  @Override
  public String toString() {
    return protocol()
        + " "
        + AddressText.withPort(source(), srcPort())
        + " -> "
        + AddressText.withPort(destination(), dstPort());
  }
}
