package io.malob.state.catalog;

import com.google.common.net.InetAddresses;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.AddressText;
import io.malob.json.RejectedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * The networks that clients may come from, all of one address family. Immutable. Whether an address
 * is in one of them is found in O(log networks), with nothing allocated.
 */
public final class SourceNetworks {
  /** The max number of networks. */
  public static final int MAX = 256;

  static final FieldFormat<SourceNetworks> FORMAT =
      FieldFormat.ofParts("Networks", SourceNetworks::parse, SourceNetworks::texts);

  private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,2}");

  private final IPVersion family;
  private final List<String> texts;

  /** In order and disjoint. */
  private final Network[] apart;

  private SourceNetworks(IPVersion family, List<Network> networks) {
    this.family = family;
    texts = networks.stream().map(Network::text).toList();
    apart = apart(networks).toArray(new Network[0]);
  }

  /** A number of 128 bits, as two unsigned halves. IPv4 addresses have the upper 32 of them. */
  private record Bits(long upper, long lower) implements Comparable<Bits> {
    static Bits of(IPAddress<?> address) {
      ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(address.getBytes(), 2 * Long.BYTES));
      return new Bits(bytes.getLong(), bytes.getLong());
    }

    /** With all bits behind the first ones set. */
    Bits filled(int first) {
      return new Bits(
          first >= Long.SIZE ? upper : upper | -1L >>> first,
          first <= Long.SIZE ? -1L : first == 2 * Long.SIZE ? lower : lower | -1L >>> first);
    }

    /** With one more bit set, counted from the highest. */
    Bits with(int bit) {
      return bit < Long.SIZE
          ? new Bits(upper | Long.MIN_VALUE >>> bit, lower)
          : new Bits(upper, lower | Long.MIN_VALUE >>> (bit - Long.SIZE));
    }

    int compareTo(long otherUpper, long otherLower) {
      int byUpper = Long.compareUnsigned(upper, otherUpper);
      return byUpper != 0 ? byUpper : Long.compareUnsigned(lower, otherLower);
    }

    @Override
    public int compareTo(Bits other) {
      return compareTo(other.upper, other.lower);
    }
  }

  private record Network(IPAddress<?> address, int length, Bits lowest, Bits highest) {
    static Network of(IPAddress<?> address, int length) {
      Bits lowest = Bits.of(address);
      return new Network(address, length, lowest, lowest.filled(length));
    }

    String text() {
      return address + "/" + length;
    }
  }

  /** In order, without networks within others. */
  private static List<Network> apart(List<Network> networks) {
    List<Network> apart = new ArrayList<>();
    networks.stream()
        .sorted(Comparator.comparing(Network::lowest).thenComparing(Network::length))
        .filter(
            next ->
                apart.isEmpty() || next.lowest.compareTo(apart.get(apart.size() - 1).highest) > 0)
        .forEach(apart::add);
    return apart;
  }

  /** Parses networks such as {@code 10.0.0.0/8, 192.168.7.1} or {@code 2001:db8::/32}. */
  static SourceNetworks parse(String field, String text) throws RejectedException {
    List<Network> networks = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      networks.add(network(field, each.strip()));
    }
    if (networks.size() > MAX) {
      throw RejectedException.invalid(field, field + " must have at most " + MAX + " networks");
    }
    IPVersion family = networks.get(0).address.getIpVersion();
    for (Network each : networks) {
      if (each.address.getIpVersion() != family) {
        throw RejectedException.invalid(
            field,
            field
                + " must have networks of one address family, not "
                + networks.get(0).text()
                + " and "
                + each.text());
      }
    }
    return new SourceNetworks(family, networks);
  }

  private static Network network(String field, String text) throws RejectedException {
    int slash = text.indexOf('/');
    Optional<IPAddress<?>> parsed = AddressText.parse(slash < 0 ? text : text.substring(0, slash));
    int bits = parsed.map(address -> address.getBytes().length * Byte.SIZE).orElse(0);
    int length = slash < 0 ? bits : length(text.substring(slash + 1));
    if (parsed.isEmpty() || length > bits) {
      throw RejectedException.invalid(
          field,
          field
              + " must be networks such as 10.0.0.0/8 or 2001:db8::/32, not "
              + FieldFormat.quoted(text));
    }
    IPAddress<?> address = parsed.get();
    Network network = Network.of(address.withMaskOfLength(length).getValue(), length);
    if (!network.address.equals(address)) {
      throw RejectedException.invalid(
          field, field + ": " + text + " has host bits set; the network is " + network.text());
    }
    return network;
  }

  /** The length of a network; more than all bits for a text that is none. */
  private static int length(String text) {
    return LENGTH.matcher(text).matches() ? Integer.parseInt(text) : Integer.MAX_VALUE;
  }

  /** The address family of all of them. */
  public IPVersion family() {
    return family;
  }

  /** Whether the address with this {@link AddressKey} is in one of them. */
  public boolean contains(int addressKey) {
    boolean isIpv6 = AddressKey.isIpv6(addressKey);
    return isIpv6 == (family == IPVersion.IPv6)
        && (isIpv6
            ? contains(AddressKey.upper(addressKey), AddressKey.lower(addressKey))
            : contains((long) addressKey << Integer.SIZE, 0));
  }

  private boolean contains(long upper, long lower) {
    int from = 0;
    int to = apart.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (apart[middle].highest.compareTo(upper, lower) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from < apart.length && apart[from].lowest.compareTo(upper, lower) <= 0;
  }

  /**
   * The fewest networks that have all other addresses of the family, in order; empty if they are
   * more.
   *
   * @param max their max number
   */
  public Optional<List<IPAddressWithMask<?>>> others(int max) {
    List<IPAddressWithMask<?>> others = new ArrayList<>();
    addOthers(List.of(apart), new Bits(0, 0), 0, max, others);
    return others.size() > max ? Optional.empty() : Optional.of(others);
  }

  /** Adds those of one network. within: the networks of these that overlap it. */
  private void addOthers(
      List<Network> within, Bits lowest, int length, int max, List<IPAddressWithMask<?>> others) {
    if (others.size() > max || within.stream().anyMatch(each -> each.length <= length)) {
      return;
    }
    if (within.isEmpty()) {
      others.add(addressOf(lowest).withMaskOfLength(length));
      return;
    }
    for (Bits half : List.of(lowest, lowest.with(length))) {
      Bits highest = half.filled(length + 1);
      List<Network> overlapping =
          within.stream()
              .filter(
                  each -> each.lowest.compareTo(highest) <= 0 && each.highest.compareTo(half) >= 0)
              .toList();
      addOthers(overlapping, half, length + 1, max, others);
    }
  }

  private IPAddress<?> addressOf(Bits bits) {
    return family == IPVersion.IPv6
        ? IPv6Address.of(bits.upper, bits.lower)
        : IPAddress.of(InetAddresses.fromInteger((int) (bits.upper >>> Integer.SIZE)));
  }

  /** As given, each with its length. */
  public List<String> texts() {
    return texts;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SourceNetworks networks && texts.equals(networks.texts);
  }

  @Override
  public int hashCode() {
    return texts.hashCode();
  }

  @Override
  public String toString() {
    return texts.toString();
  }
}
