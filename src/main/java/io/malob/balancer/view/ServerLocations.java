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

/** Where the members of pools with a VIP are, found by what they send. Immutable. */
public final class ServerLocations {
  static final ServerLocations NONE = new ServerLocations(Map.of(), Map.of());

  private final LongTable<ServerPlace> byAddress;
  private final LongTable<ServerPlace> byMac;

  /**
   * One server.
   *
   * @param vip an address of its pool, in whose name it can be asked
   */
  public record ServerPlace(IPAddress<?> address, IPAddress<?> vip, Attachment at) {}

  private ServerLocations(Map<Long, ServerPlace> byAddress, Map<Long, ServerPlace> byMac) {
    this.byAddress = new LongTable<>(byAddress);
    this.byMac = new LongTable<>(byMac);
  }

  /** The places of those servers that the network has shown, by number. */
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

  /** The server that has that address or, if none has, that MAC. */
  public @Nullable ServerPlace find(int address, long mac) {
    @Nullable ServerPlace place = byAddress.get(address);
    return place == null ? byMac.get(mac) : place;
  }
}
