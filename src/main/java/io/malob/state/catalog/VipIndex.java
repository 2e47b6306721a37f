package io.malob.state.catalog;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.malob.algorithm.AddressKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** Finds the VIP of a packet: max four probes of a hash table, without allocation. Immutable. */
final class VipIndex {
  private static final int ANY = 0;

  private final LongTable<Optional<Vip>> byTraffic;

  /** All addresses. */
  private final LongTable<Place> addresses;

  private final ImmutableListMultimap<IPAddress<?>, Vip> byAddress;
  private final boolean hasProactiveVips;

  /** What the VIPs of an address have in common, and whether any of them may be proactive. */
  private record Place(int vlan, boolean mayBeProactive) {
    Place with(Place other) {
      return new Place(vlan, mayBeProactive || other.mayBeProactive);
    }
  }

  VipIndex(Collection<Vip> vips) {
    hasProactiveVips = vips.stream().anyMatch(Vip::mayBeProactive);
    byAddress = Multimaps.index(vips, Vip::address);
    Map<Long, Optional<Vip>> traffic = new HashMap<>();
    Map<Long, Place> known = new HashMap<>();
    for (Vip vip : vips) {
      int address = AddressKey.of(vip.address());
      traffic.put(key(address, code(vip.protocol()), code(vip.port())), Optional.of(vip));
      known.merge((long) address, new Place(vip.vlan(), vip.mayBeProactive()), Place::with);
    }
    byTraffic = new LongTable<>(traffic);
    addresses = new LongTable<>(known);
  }

  boolean isVipAddress(int address) {
    return addresses.get(address) != null;
  }

  boolean isVipAddress(int address, int vlan) {
    @Nullable Place place = addresses.get(address);
    return place != null && place.vlan == vlan;
  }

  int vlanOf(int address) {
    @Nullable Place place = addresses.get(address);
    return place == null ? 0 : place.vlan;
  }

  /** The same for any address, which gets no key by that. */
  boolean isVipAddress(IPAddress<?> address) {
    return byAddress.containsKey(address);
  }

  List<Vip> at(IPAddress<?> address) {
    return byAddress.get(address);
  }

  boolean hasProactiveVips() {
    return hasProactiveVips;
  }

  boolean mayBeProactive(int address) {
    @Nullable Place place = addresses.get(address);
    return place != null && place.mayBeProactive;
  }

  Optional<Vip> find(int address, Protocol protocol, int port) {
    if (!isVipAddress(address)) {
      return Optional.empty();
    }
    int protocolCode = code(protocol);
    int portCode = port + 1;
    Optional<Vip> vip = byTraffic.get(key(address, protocolCode, portCode));
    if (vip == null) {
      vip = byTraffic.get(key(address, protocolCode, ANY));
    }
    if (vip == null) {
      vip = byTraffic.get(key(address, ANY, portCode));
    }
    if (vip == null) {
      vip = byTraffic.get(key(address, ANY, ANY));
    }
    return vip == null ? Optional.empty() : vip;
  }

  private static int code(@Nullable Protocol protocol) {
    return protocol == null ? ANY : protocol.ipNumber();
  }

  private static int code(@Nullable Integer port) {
    return port == null ? ANY : port + 1;
  }

  private static long key(int address, int protocolCode, int portCode) {
    return ((long) address << 32) | ((long) protocolCode << 20) | portCode;
  }
}
