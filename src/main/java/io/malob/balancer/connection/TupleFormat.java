package io.malob.balancer.connection;

import com.google.common.net.InetAddresses;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Five-tuples in messages between controllers: protocol, 4 or 6 for the address family, addresses,
 * ports. Addresses are written in full, because an {@link AddressKey} has a meaning in its own
 * process only. Pure, but for the keys of new addresses.
 */
public final class TupleFormat {
  /** The max size of an address. */
  public static final int MAX_ADDRESS_BYTES = 16;

  /** The max size of a tuple. */
  public static final int MAX_BYTES = 2 + 2 * (MAX_ADDRESS_BYTES + Short.BYTES);

  private static final byte IPV4 = 4;
  private static final byte IPV6 = 6;

  private TupleFormat() {}

  /** Writes a tuple. */
  public static void write(FiveTuple tuple, ByteBuffer out) {
    out.put((byte) tuple.protocol());
    out.put(tuple.isIpv6() ? IPV6 : IPV4);
    writeAddress(tuple.srcAddress(), out);
    writeAddress(tuple.dstAddress(), out);
    out.putShort((short) tuple.srcPort()).putShort((short) tuple.dstPort());
  }

  /** Writes the address with this key, without its family. */
  public static void writeAddress(int key, ByteBuffer out) {
    if (AddressKey.isIpv6(key)) {
      out.putLong(AddressKey.upper(key)).putLong(AddressKey.lower(key));
    } else {
      out.putInt(key);
    }
  }

  /**
   * Reads a tuple.
   *
   * @throws BufferUnderflowException if it is cut off
   * @throws IllegalArgumentException if it has a wrong value, or too many addresses are in use
   */
  public static FiveTuple read(ByteBuffer in) {
    int protocol = Byte.toUnsignedInt(in.get());
    byte family = in.get();
    if (family != IPV4 && family != IPV6) {
      throw new IllegalArgumentException("address family " + family);
    }
    int src = readAddress(in, family == IPV6);
    int dst = readAddress(in, family == IPV6);
    int srcPort = Short.toUnsignedInt(in.getShort());
    int dstPort = Short.toUnsignedInt(in.getShort());
    return FiveTuple.of(protocol, src, srcPort, dst, dstPort);
  }

  /** Reads the key of an address of that family; throws as {@link #read} does. */
  public static int readAddress(ByteBuffer in, boolean isIpv6) {
    int key = isIpv6 ? AddressKey.ofClient(in.getLong(), in.getLong()) : in.getInt();
    if (isIpv6 && key == AddressKey.NONE) {
      throw new IllegalArgumentException("one more IPv6 address than can be in use");
    } else if (!isIpv6 && AddressKey.isIpv6(key)) {
      throw new IllegalArgumentException(
          "IPv4 address " + InetAddresses.toAddrString(InetAddresses.fromInteger(key)));
    }
    return key;
  }
}
