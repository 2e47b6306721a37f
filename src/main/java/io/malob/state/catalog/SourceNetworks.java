package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The networks that clients may come from. Immutable. Whether an address is in one of them is found
 * in O(log networks), with nothing allocated.
 */
public final class SourceNetworks {
  /** The max number of networks. */
  public static final int MAX = 256;

  private static final Pattern NETWORK =
      Pattern.compile("([0-9.]{7,15})(?:/([0-9]|[12][0-9]|3[0-2]))?");
  private static final int ADDRESS_BITS = 32;

  private final List<String> texts;

  /** The lowest and the highest address of each, as unsigned numbers, in order and disjoint. */
  private final long[] lowest;

  private final long[] highest;

  private SourceNetworks(List<Network> networks) {
    texts = networks.stream().map(Network::text).toList();
    List<Network> apart = apart(networks);
    lowest = apart.stream().mapToLong(Network::lowest).toArray();
    highest = apart.stream().mapToLong(Network::highest).toArray();
  }

  private record Network(long lowest, int length) {
    long highest() {
      return lowest + (1L << (ADDRESS_BITS - length)) - 1;
    }

    String text() {
      return String.format(
          "%d.%d.%d.%d/%d",
          lowest >> 24, lowest >> 16 & 0xff, lowest >> 8 & 0xff, lowest & 0xff, length);
    }
  }

  /** In order, without networks within others. */
  private static List<Network> apart(List<Network> networks) {
    List<Network> apart = new ArrayList<>();
    networks.stream()
        .sorted(Comparator.comparingLong(Network::lowest).thenComparingInt(Network::length))
        .filter(next -> apart.isEmpty() || next.lowest > apart.get(apart.size() - 1).highest())
        .forEach(apart::add);
    return apart;
  }

  /** Parses networks such as {@code 10.0.0.0/8, 192.168.7.1}. */
  static SourceNetworks parse(String field, String text) throws RejectedException {
    List<Network> networks = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      networks.add(network(field, each.strip()));
    }
    if (networks.size() > MAX) {
      throw RejectedException.invalid(field, field + " must have at most " + MAX + " networks");
    }
    return new SourceNetworks(networks);
  }

  private static Network network(String field, String text) throws RejectedException {
    if (text.indexOf(':') >= 0) {
      throw RejectedException.invalid(
          field,
          field
              + ": VIPs have IPv4 addresses, so no clients can come from "
              + FieldFormat.quoted(text));
    }
    Matcher matcher = NETWORK.matcher(text);
    if (!matcher.matches() || !FieldFormat.IPV4.matcher(matcher.group(1)).matches()) {
      throw RejectedException.invalid(
          field,
          field + " must be IPv4 networks such as 10.0.0.0/8, not " + FieldFormat.quoted(text));
    }
    int length = matcher.group(2) == null ? ADDRESS_BITS : Integer.parseInt(matcher.group(2));
    long address = 0;
    for (String part : matcher.group(1).split("\\.", -1)) {
      address = address << 8 | Integer.parseInt(part);
    }
    Network network = new Network(address & -1L << (ADDRESS_BITS - length), length);
    if (network.lowest != address) {
      throw RejectedException.invalid(
          field, field + ": " + text + " has host bits set; the network is " + network.text());
    }
    return network;
  }

  /** Whether an address is in one of them. */
  public boolean contains(int address) {
    long number = Integer.toUnsignedLong(address);
    int found = Arrays.binarySearch(lowest, number);
    int before = found >= 0 ? found : -found - 2;
    return before >= 0 && number <= highest[before];
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
