package io.malob.balancer.view;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LongTable;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The locations of members of pools with a VIP, by IP and MAC address. Immutable. */
public final class ServerLocations {
  static final ServerLocations NONE = new ServerLocations(Map.of(), Map.of());

  private static final int VLAN_BITS = 12;

  private final ImmutableMap<IPAddress<?>, ServerLocation> byAddress;

  /** By MAC address and VLAN. */
  private final LongTable<ServerLocation> byMac;

  /**
   * The location of one server.
   *
   * @param vip a VIP address of its pool, of the same IP version, which asks for it
   */
  public record ServerLocation(IPAddress<?> address, IPAddress<?> vip, Attachment at) {}

  private ServerLocations(
      Map<IPAddress<?>, ServerLocation> byAddress, Map<Long, ServerLocation> byMac) {
    this.byAddress = ImmutableMap.copyOf(byAddress);
    this.byMac = new LongTable<>(byMac);
  }

  /**
   * The locations of the located servers. The MAC of a router is not theirs.
   *
   * @param isRouted whether an address is behind a router
   */
  static ServerLocations of(
      CatalogSnapshot catalog, Map<Integer, Server> servers, Predicate<IPAddress<?>> isRouted) {
    Map<IPAddress<?>, ServerLocation> addresses = new HashMap<>();
    Map<Long, ServerLocation> macs = new HashMap<>();
    for (Member member : catalog.members().values()) {
      @Nullable Server server = servers.get(member.number());
      @Nullable Vip vip = catalog.vipOf(member).orElse(null);
      if (server != null && vip != null) {
        ServerLocation location = new ServerLocation(member.address(), vip.address(), server.at());
        addresses.put(member.address(), location);
        if (!isRouted.test(member.address())) {
          macs.put(key(server.at().mac().getLong(), server.at().vlan()), location);
        }
      }
    }
    return new ServerLocations(addresses, macs);
  }

  /** Whether a server has that address. */
  public boolean contains(IPAddress<?> address) {
    return byAddress.containsKey(address);
  }

  private static long key(long mac, int vlan) {
    return mac << VLAN_BITS | vlan;
  }

  /**
   * The server with that IP address or, if there is none, with that MAC, in that VLAN (0 if
   * untagged); null if there is neither.
   */
  public @Nullable ServerLocation find(IPAddress<?> address, long mac, int vlan) {
    @Nullable ServerLocation location = byAddress.get(address);
    return location == null || location.at.vlan() != vlan ? byMac.get(key(mac, vlan)) : location;
  }
}
