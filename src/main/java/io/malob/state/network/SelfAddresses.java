package io.malob.state.network;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedListMultimap;
import com.google.common.collect.ListMultimap;
import io.malob.algorithm.AddressText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The balancer's own addresses in the subnets of its network. Routers use them as the next hop of
 * VIPs that are in none of these subnets, and members are asked and checked from them. Immutable.
 */
public final class SelfAddresses {
  /** No addresses: VIPs are reached, and members checked, by the addresses of VIPs alone. */
  public static final SelfAddresses NONE = new SelfAddresses(List.of());

  /** The max number of addresses. */
  static final int MAX = 256;

  /** The texts that {@link #parse} accepts, as in "must be …". */
  public static final String EXPECTED =
      "addresses with their prefix lengths, and VLANs after @, such as 10.0.0.200/24,"
          + " 10.1.0.200/24@100 or 2001:db8::200/64";

  private static final Pattern ENTRY =
      Pattern.compile("([0-9A-Fa-f.:]+)/([0-9]{1,3})(?:@([0-9]{1,4}))?");

  private static final int MAX_VLAN = 4_094;

  /** The longest prefixes first. */
  private final List<SelfAddress> addresses;

  private final ImmutableMap<IPAddress<?>, SelfAddress> byAddress;

  /**
   * One of them.
   *
   * @param prefixLength of its subnet
   * @param vlan the VLAN of its subnet; 0 if packets there are untagged
   */
  public record SelfAddress(IPAddress<?> address, int prefixLength, int vlan) {
    /** Whether an address is in its subnet. */
    public boolean isNeighbour(IPAddress<?> other) {
      return other.getIpVersion() == address.getIpVersion()
          && address.withMaskOfLength(prefixLength).contains(other);
    }
  }

  private SelfAddresses(List<SelfAddress> addresses) {
    this.addresses =
        addresses.stream()
            .sorted(Comparator.comparing(SelfAddress::prefixLength).reversed())
            .toList();
    byAddress = addresses.stream().collect(toImmutableMap(SelfAddress::address, each -> each));
  }

  /** The addresses of a comma-separated text, which may be empty; empty if it is not valid. */
  public static Optional<SelfAddresses> parse(String text) {
    if (text.isBlank()) {
      return Optional.of(NONE);
    }
    List<SelfAddress> addresses = new ArrayList<>();
    Set<IPAddress<?>> seen = new HashSet<>();
    for (String part : text.split(",", -1)) {
      @Nullable SelfAddress each = entry(part.strip());
      if (each == null || !seen.add(each.address) || seen.size() > MAX) {
        return Optional.empty();
      }
      addresses.add(each);
    }
    return Optional.of(new SelfAddresses(addresses));
  }

  private static @Nullable SelfAddress entry(String text) {
    Matcher parts = ENTRY.matcher(text);
    @Nullable IPAddress<?> address =
        parts.matches() ? AddressText.parse(parts.group(1)).orElse(null) : null;
    if (address == null || !isHost(address)) {
      return null;
    }
    int length = Integer.parseInt(parts.group(2));
    @Nullable String tag = parts.group(3);
    int vlan = tag == null ? 0 : Integer.parseInt(tag);
    boolean isValid =
        length > 0
            && length <= address.getBytes().length * Byte.SIZE
            && (tag == null || (vlan > 0 && vlan <= MAX_VLAN));
    return isValid ? new SelfAddress(address, length, vlan) : null;
  }

  /** Whether a host, and no more than one, may have an address, and not on its link only. */
  static boolean isHost(IPAddress<?> address) {
    return !address.isUnspecified()
        && !address.isBroadcast()
        && !address.isMulticast()
        && !address.isLoopback()
        && !address.isLinkLocal();
  }

  /** These and others, which are different. */
  public SelfAddresses and(SelfAddresses others) {
    return new SelfAddresses(Stream.concat(addresses.stream(), others.addresses.stream()).toList());
  }

  /** All of them. */
  public ImmutableSet<IPAddress<?>> all() {
    return byAddress.keySet();
  }

  /** The same with their subnets and VLANs. */
  public ImmutableCollection<SelfAddress> withSubnets() {
    return byAddress.values();
  }

  /** Those of each subnet and VLAN, in their order; the longest prefixes first. */
  public ImmutableList<ImmutableList<SelfAddress>> bySubnet() {
    ListMultimap<List<Object>, SelfAddress> subnets = LinkedListMultimap.create();
    for (SelfAddress each : addresses) {
      subnets.put(List.of(each.address.withMaskOfLength(each.prefixLength), each.vlan), each);
    }
    return subnets.asMap().values().stream().map(ImmutableList::copyOf).collect(toImmutableList());
  }

  /** Whether an address is one of them. */
  public boolean contains(IPAddress<?> address) {
    return !byAddress.isEmpty() && byAddress.containsKey(address);
  }

  /** Whether an address is one of them in that VLAN; 0 stands for none. */
  public boolean contains(IPAddress<?> address, int vlan) {
    @Nullable SelfAddress own = byAddress.isEmpty() ? null : byAddress.get(address);
    return own != null && own.vlan == vlan;
  }

  /** The one in the subnet of an address, by the longest prefix; empty if there is none. */
  public Optional<SelfAddress> inSubnetOf(IPAddress<?> neighbour) {
    return addresses.stream().filter(each -> each.isNeighbour(neighbour)).findFirst();
  }

  /** The same in a VLAN; 0 stands for none. */
  Optional<SelfAddress> inSubnetOf(IPAddress<?> neighbour, int vlan) {
    return addresses.stream()
        .filter(each -> each.vlan == vlan && each.isNeighbour(neighbour))
        .findFirst();
  }

  @Override
  public String toString() {
    return addresses.toString();
  }
}
