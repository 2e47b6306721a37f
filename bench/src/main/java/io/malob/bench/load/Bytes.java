package io.malob.bench.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in byte arrays, in network byte order. */
final class Bytes {
  private static final VarHandle SHORTS = view(short[].class);
  private static final VarHandle INTS = view(int[].class);
  private static final VarHandle LONGS = view(long[].class);

  private Bytes() {}

  private static VarHandle view(Class<?> type) {
    return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.BIG_ENDIAN);
  }

  static int uint8(byte[] bytes, int at) {
    return bytes[at] & 0xff;
  }

  static int uint16(byte[] bytes, int at) {
    return (short) SHORTS.get(bytes, at) & 0xffff;
  }

  static int int32(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static long int64(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  /** Six bytes, as of a MAC address. */
  static long uint48(byte[] bytes, int at) {
    return (long) uint16(bytes, at) << 32 | (int32(bytes, at + 2) & 0xffff_ffffL);
  }

  static void put16(byte[] bytes, int at, int value) {
    SHORTS.set(bytes, at, (short) value);
  }

  static void put32(byte[] bytes, int at, int value) {
    INTS.set(bytes, at, value);
  }

  static void put48(byte[] bytes, int at, long value) {
    put16(bytes, at, (int) (value >>> 32));
    put32(bytes, at + 2, (int) value);
  }

  static void put64(byte[] bytes, int at, long value) {
    LONGS.set(bytes, at, value);
  }

  /** The sum of 16-bit words, for an Internet checksum. The length is even. */
  static int sum(byte[] bytes, int at, int length) {
    int sum = 0;
    for (int i = 0; i < length; i += 2) {
      sum += uint16(bytes, at + i);
    }
    return sum;
  }

  /** The Internet checksum of a sum of 16-bit words. */
  static int checksum(int sum) {
    int folded = (sum & 0xffff) + (sum >>> 16);
    folded = (folded & 0xffff) + (folded >>> 16);
    return ~folded & 0xffff;
  }
}
