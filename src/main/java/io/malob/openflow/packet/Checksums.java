package io.malob.openflow.packet;

import java.nio.ByteBuffer;

/** The Internet checksum (RFC 1071). Pure. */
final class Checksums {
  private Checksums() {}

  /** The checksum of some bytes, whose checksum field is still zero, on top of a sum so far. */
  static short of(ByteBuffer bytes, int offset, int length, int initial) {
    return folded(initial + sum(bytes, offset, length));
  }

  private static short folded(int sum) {
    int folded = sum;
    while (folded >>> 16 != 0) {
      folded = (folded & 0xffff) + (folded >>> 16);
    }
    return (short) ~folded;
  }

  /**
   * The checksum of an IP packet's payload, whose checksum field is still zero, and of its pseudo
   * header (RFC 9293, section 3.1; RFC 8200, section 8.1); never 0, which UDP may not have.
   *
   * @param addresses where both addresses are, one behind the other
   * @param addressBytes of each
   */
  static short withAddresses(
      ByteBuffer bytes, int addresses, int addressBytes, int payload, int length, int protocol) {
    int pseudoHeader = sum(bytes, addresses, 2 * addressBytes) + protocol + length;
    short checksum = of(bytes, payload, length, pseudoHeader);
    return checksum == 0 ? (short) 0xffff : checksum;
  }

  /** The plain sum of 16-bit words; a last odd byte counts as if a zero followed it. */
  static int sum(ByteBuffer bytes, int offset, int length) {
    int sum = 0;
    for (int i = 0; i + 1 < length; i += 2) {
      sum += bytes.getShort(offset + i) & 0xffff;
    }
    if (length % 2 != 0) {
      sum += (bytes.get(offset + length - 1) & 0xff) << 8;
    }
    return sum;
  }

  /** The checksum of bytes of which four have changed (RFC 1624). */
  static short changed(short checksum, int before, int after) {
    int sum = ~checksum & 0xffff;
    sum += (~before >>> 16 & 0xffff) + (~before & 0xffff);
    return folded(sum + (after >>> 16) + (after & 0xffff));
  }
}
