package io.malob.state.network;

import com.google.common.primitives.UnsignedBytes;
import io.malob.algorithm.AddressText;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The addresses of one family that begin alike, such as {@code 10.2.0.0/16}. Immutable; IPv4 first,
 * then by address and length.
 *
 * @param address the first of them: all its bits behind the prefix are zero
 * @param length the number of bits that are alike
 */
public record Prefix(IPAddress<?> address, int length) implements Comparable<Prefix> {
  private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,2}");

  private static final Comparator<Prefix> ORDER =
      Comparator.<Prefix, Integer>comparing(each -> each.address.getBytes().length)
          .thenComparing(each -> each.address.getBytes(), UnsignedBytes.lexicographicalComparator())
          .thenComparing(Prefix::length);

  /** The prefix of that length that an address is in. */
  static Prefix of(IPAddress<?> address, int length) {
    return new Prefix(address.withMaskOfLength(length).getValue(), length);
  }

  /** The prefix of an address and a length as texts; empty if it is none or has host bits set. */
  public static Optional<Prefix> parse(String address, String length) {
    int bits = LENGTH.matcher(length).matches() ? Integer.parseInt(length) : Integer.MAX_VALUE;
    return AddressText.parse(address)
        .filter(first -> bits <= first.getBytes().length * Byte.SIZE)
        .map(first -> new Prefix(first, bits))
        .filter(prefix -> prefix.equals(of(prefix.address, bits)));
  }

  @Override
  public int compareTo(Prefix other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return address + "/" + length;
  }
}
