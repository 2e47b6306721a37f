package io.malob.balancer.view;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LongTable;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The locations of members of pools with a VIP, by IPv4 and MAC address. Immutable. */
public final class ServerLocations {
  static final ServerLocations NONE = new ServerLocations(Map.of(), Map.of());

  private final LongTable<ServerPlace> byAddress;
  private final LongTable<ServerPlace> byMac;

  /**
   * The location of one server.
   *
   * @param vip a VIP address of its pool, the source of ARP requests to it
   */
  public record ServerPlace(IPAddress<?> address, IPAddress<?> vip, Attachment at) {}

  private ServerLocations(Map<Long, ServerPlace> byAddress, Map<Long, ServerPlace> byMac) {
    this.byAddress = new LongTable<>(byAddress);
    this.byMac = new LongTable<>(byMac);
  }

  /** The locations of the located servers. */
  static ServerLocations of(CatalogSnapshot catalog, Map<Integer, Server> servers) {
    Map<Long, ServerPlace> addresses = new HashMap<>();
    Map<Long, ServerPlace> macs = new HashMap<>();
    for (Member member : catalog.members().values()) {
      @Nullable Server server = servers.get(member.number());
      @Nullable IPAddress<?> vip = vipOf(catalog, member);
      if (server != null && vip != null) {
        ServerPlace place = new ServerPlace(member.address(), vip, server.at());
        addresses.put((long) AddressKey.of(member.address()), place);
        macs.put(server.at().mac().getLong(), place);
      }
    }
    return new ServerLocations(addresses, macs);
  }

  private static @Nullable IPAddress<?> vipOf(CatalogSnapshot catalog, Member member) {
    @Nullable String poolId = member.poolId();
    @Nullable Pool pool = poolId == null ? null : catalog.pools().get(poolId);
    @Nullable String vipId = pool == null ? null : pool.vipId();
    @Nullable Vip vip = vipId == null ? null : catalog.vips().get(vipId);
    return vip == null ? null : vip.address();
  }

  /**
   * The server with that IPv4 address or, if there is none, with that MAC; null if there is
   * neither.
   */
  public @Nullable ServerPlace find(int address, long mac) {
    @Nullable ServerPlace place = byAddress.get(address);
    return place == null ? byMac.get(mac) : place;
  }
}
