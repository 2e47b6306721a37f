package io.malob.balancer.view;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LongTable;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Vip;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The locations of members of pools with a VIP, by IPv4 and MAC address. Immutable. */
public final class ServerLocations {
  static final ServerLocations NONE = new ServerLocations(Map.of(), Map.of());

  private final LongTable<ServerLocation> byAddress;
  private final LongTable<ServerLocation> byMac;

  /**
   * The location of one server.
   *
   * @param vip a VIP address of its pool, the source of ARP requests to it
   */
  public record ServerLocation(IPAddress<?> address, IPAddress<?> vip, Attachment at) {}

  private ServerLocations(Map<Long, ServerLocation> byAddress, Map<Long, ServerLocation> byMac) {
    this.byAddress = new LongTable<>(byAddress);
    this.byMac = new LongTable<>(byMac);
  }

  /** The locations of the located servers. */
  static ServerLocations of(CatalogSnapshot catalog, Map<Integer, Server> servers) {
    Map<Long, ServerLocation> addresses = new HashMap<>();
    Map<Long, ServerLocation> macs = new HashMap<>();
    for (Member member : catalog.members().values()) {
      @Nullable Server server = servers.get(member.number());
      @Nullable Vip vip = catalog.vipOf(member).orElse(null);
      if (server != null && vip != null) {
        ServerLocation location = new ServerLocation(member.address(), vip.address(), server.at());
        addresses.put((long) AddressKey.of(member.address()), location);
        macs.put(server.at().mac().getLong(), location);
      }
    }
    return new ServerLocations(addresses, macs);
  }

  /**
   * The server with that IPv4 address or, if there is none, with that MAC; null if there is
   * neither.
   */
  public @Nullable ServerLocation find(int address, long mac) {
    @Nullable ServerLocation location = byAddress.get(address);
    return location == null ? byMac.get(mac) : location;
  }
}
