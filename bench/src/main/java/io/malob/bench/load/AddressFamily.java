package io.malob.bench.load;

import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * What differs between packets and rules of both IP versions. An address is a whole number: an IPv4
 * address itself, or the last four bytes of an IPv6 address in fd00::/96.
 */
public enum AddressFamily {
  /** IPv4. */
  IPV4(0x0800, 20, 9, 12, 4, OpenFlow.OXM_IPV4_SRC, OpenFlow.OXM_IPV4_DST),
  /** IPv6. */
  IPV6(0x86dd, 40, 6, 8, 16, OpenFlow.OXM_IPV6_SRC, OpenFlow.OXM_IPV6_DST);

  /** Instead of an IPv6 address that is not in fd00::/96; no host has it. */
  static final int FOREIGN = 0;

  private static final long PREFIX = 0xfd00L << 48;

  /** The EtherType of its packets. */
  public final int etherType;

  /** The length of its header, without options. */
  public final int headerBytes;

  /** Where its header has the protocol. */
  final int protocolAt;

  /** Where its header has the source, before the destination. */
  final int sourceAt;

  final int addressBytes;
  final int oxmSource;
  final int oxmDestination;

  AddressFamily(
      int etherType,
      int headerBytes,
      int protocolAt,
      int sourceAt,
      int addressBytes,
      int oxmSource,
      int oxmDestination) {
    this.etherType = etherType;
    this.headerBytes = headerBytes;
    this.protocolAt = protocolAt;
    this.sourceAt = sourceAt;
    this.addressBytes = addressBytes;
    this.oxmSource = oxmSource;
    this.oxmDestination = oxmDestination;
  }

  /** Reads an address. */
  int read(byte[] bytes, int at) {
    if (this == IPV4) {
      return Bytes.int32(bytes, at);
    }
    boolean isKnown = Bytes.int64(bytes, at) == PREFIX && Bytes.int32(bytes, at + 8) == 0;
    return isKnown ? Bytes.int32(bytes, at + 12) : FOREIGN;
  }

  /** Writes an address. */
  void write(byte[] bytes, int at, int address) {
    if (this == IPV6) {
      Bytes.put64(bytes, at, PREFIX);
      Bytes.put32(bytes, at + 8, 0);
    }
    Bytes.put32(bytes, at + addressBytes - 4, address);
  }

  /** The source in a header. */
  public int source(byte[] bytes, int header) {
    return read(bytes, header + sourceAt);
  }

  /** The destination in a header. */
  int destination(byte[] bytes, int header) {
    return read(bytes, header + sourceAt + addressBytes);
  }

  /** The address with that number. */
  public IPAddress<?> address(int number) {
    return this == IPV4
        ? IPv4Address.of(number)
        : IPv6Address.of(PREFIX, Integer.toUnsignedLong(number));
  }

  /** The number of an address; {@link #FOREIGN} if it has none. */
  int number(IPAddress<?> address) {
    byte[] bytes = address.getBytes();
    return bytes.length == addressBytes ? read(bytes, 0) : FOREIGN;
  }

  /** An address as text. */
  public String text(int address) {
    return address(address).toString();
  }
}
