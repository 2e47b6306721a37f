package io.malob.state.network;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.AddressText;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The routers that may be the next hop of clients that are no hosts of the network. Immutable.
 *
 * @param addresses their IP addresses in the network
 * @param macs their MAC addresses, virtual ones included
 */
public record Routers(ImmutableSet<IPAddress<?>> addresses, ImmutableSet<MacAddress> macs) {
  /** Any next hop may be one. */
  public static final Routers ANY = new Routers(ImmutableSet.of(), ImmutableSet.of());

  /** The texts that {@link #parse} accepts, as in "must be …". */
  public static final String EXPECTED =
      "IP and MAC addresses, such as 10.0.0.1, 2001:db8::1 or 00:00:5e:00:01:01";

  /** The max number of addresses. */
  static final int MAX = 256;

  private static final Pattern MAC = Pattern.compile("([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}");

  /** The routers of a comma-separated text, any if it is empty; empty if it is not valid. */
  public static Optional<Routers> parse(String text) {
    if (text.isBlank()) {
      return Optional.of(ANY);
    }
    ImmutableSet.Builder<IPAddress<?>> addresses = ImmutableSet.builder();
    ImmutableSet.Builder<MacAddress> macs = ImmutableSet.builder();
    String[] parts = text.split(",", -1);
    for (String part : parts) {
      String each = part.strip();
      if (MAC.matcher(each).matches()) {
        macs.add(MacAddress.of(each));
        continue;
      }
      @Nullable IPAddress<?> address = AddressText.parse(each).orElse(null);
      if (address == null || !SelfAddresses.isHost(address)) {
        return Optional.empty();
      }
      addresses.add(address);
    }
    return parts.length > MAX
        ? Optional.empty()
        : Optional.of(new Routers(addresses.build(), macs.build()));
  }

  /** Whether any next hop may be a router. */
  public boolean isAny() {
    return addresses.isEmpty() && macs.isEmpty();
  }

  /** Whether a host is named, by its MAC address or any of its IP addresses. */
  public boolean names(MacAddress mac, Collection<IPAddress<?>> ofHost) {
    return macs.contains(mac) || ofHost.stream().anyMatch(addresses::contains);
  }

  /**
   * Whether a next hop may be a router.
   *
   * @param macOf the MAC address of the host with an address, if it is known
   */
  public boolean allow(MacAddress mac, Function<IPAddress<?>, Optional<MacAddress>> macOf) {
    return isAny()
        || macs.contains(mac)
        || addresses.stream()
            .anyMatch(address -> macOf.apply(address).filter(mac::equals).isPresent());
  }
}
