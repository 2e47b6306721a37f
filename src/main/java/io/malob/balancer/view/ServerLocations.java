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
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The locations of members of pools with a VIP, by IP and MAC address. Immutable. */
public final class ServerLocations {
  static final ServerLocations NONE = new ServerLocations(Map.of(), Map.of());

  private final ImmutableMap<IPAddress<?>, ServerLocation> byAddress;
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

  /** The locations of the located servers. */
  static ServerLocations of(CatalogSnapshot catalog, Map<Integer, Server> servers) {
    Map<IPAddress<?>, ServerLocation> addresses = new HashMap<>();
    Map<Long, ServerLocation> macs = new HashMap<>();
    for (Member member : catalog.members().values()) {
      @Nullable Server server = servers.get(member.number());
      @Nullable Vip vip = catalog.vipOf(member).orElse(null);
      if (server != null && vip != null) {
        ServerLocation location = new ServerLocation(member.address(), vip.address(), server.at());
        addresses.put(member.address(), location);
        macs.put(server.at().mac().getLong(), location);
      }
    }
    return new ServerLocations(addresses, macs);
  }

  /** Whether a server has that address. */
  public boolean contains(IPAddress<?> address) {
    return byAddress.containsKey(address);
  }

  /**
   * The server with that IP address or, if there is none, with that MAC; null if there is neither.
   */
  public @Nullable ServerLocation find(IPAddress<?> address, long mac) {
    @Nullable ServerLocation location = byAddress.get(address);
    return location == null ? byMac.get(mac) : location;
  }
}
