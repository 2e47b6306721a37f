package io.malob.balancer.connection;

import com.google.common.net.InetAddresses;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;

/**
 * Five-tuples in messages between controllers: protocol, 4 or 6 for the address family, addresses,
 * ports. Addresses are written in full, because an {@link AddressKey} has a meaning in its own
 * process only. Pure, but for the keys of new addresses.
 */
public final class TupleFormat {
  private static final int IPV4 = 4;
  private static final int IPV6 = 6;

  private TupleFormat() {}

  /** Writes a tuple. */
  public static void write(FiveTuple tuple, FieldWriter out) {
    out.putByte(tuple.protocol()).putByte(tuple.isIpv6() ? IPV6 : IPV4);
    writeAddress(tuple.srcAddress(), out);
    writeAddress(tuple.dstAddress(), out);
    out.putShort(tuple.srcPort()).putShort(tuple.dstPort());
  }

  /** Writes the address with this key, without its family. */
  public static void writeAddress(int key, FieldWriter out) {
    if (AddressKey.isIpv6(key)) {
      out.putLong(AddressKey.upper(key)).putLong(AddressKey.lower(key));
    } else {
      out.putInt(key);
    }
  }

  /**
   * Reads a tuple.
   *
   * @throws IllegalArgumentException if it is cut off or has a wrong value, or too many addresses
   *     are in use
   */
  public static FiveTuple read(FieldReader in) {
    int protocol = in.readByte();
    int family = in.readByte();
    if (family != IPV4 && family != IPV6) {
      throw new IllegalArgumentException("address family " + family);
    }
    int src = readAddress(in, family == IPV6);
    int dst = readAddress(in, family == IPV6);
    int srcPort = in.readShort();
    int dstPort = in.readShort();
    return FiveTuple.of(protocol, src, srcPort, dst, dstPort);
  }

  /** Reads the key of an address of that family; throws as {@link #read} does. */
  public static int readAddress(FieldReader in, boolean isIpv6) {
    int key = isIpv6 ? AddressKey.ofClient(in.readLong(), in.readLong()) : in.readInt();
    if (isIpv6 && key == AddressKey.NONE) {
      throw new IllegalArgumentException("one more IPv6 address than can be in use");
    } else if (!isIpv6 && AddressKey.isIpv6(key)) {
      throw new IllegalArgumentException(
          "IPv4 address " + InetAddresses.toAddrString(InetAddresses.fromInteger(key)));
    }
    return key;
  }
}
