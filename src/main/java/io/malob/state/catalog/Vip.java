package io.malob.state.catalog;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Server;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A virtual address for clients, with its balanced traffic.
 *
 * @param number a small number for cookies, from 1 to {@link #MAX_NUMBER}; unique among the VIPs,
 *     permanent, and reused as late as possible
 * @param id its id in URLs
 * @param name a display name, which may be empty
 * @param protocol null for all of them
 * @param address a unicast address that no member has; several VIPs can share it
 * @param vlan the VLAN of its clients, from 1 to 4094, the same at all VIPs of the address; 0 if
 *     their frames are untagged
 * @param port TCP or UDP port from 1 to 65535, or ICMP type from 0 to 255; null for all of them
 * @param algorithm null to leave it to the pool and the services
 * @param allowedSources the allowed networks of clients; null for all
 * @param connectionLimit its max number of connections, from 1; null for no limit
 * @param placement when its new connections are placed
 * @param autoPerSecond the new connections per second from which switches place them by shares; 0
 *     for always, null for what the settings say
 * @param adminState up or down; if down, it takes no new connections
 * @param notes descriptions without effect
 */
public record Vip(
    int number,
    String id,
    String name,
    @Nullable Protocol protocol,
    IPAddress<?> address,
    int vlan,
    @Nullable Integer port,
    @Nullable Algorithm algorithm,
    @Nullable SourceNetworks allowedSources,
    @Nullable Integer connectionLimit,
    PlacementMode placement,
    @Nullable Integer autoPerSecond,
    AdminState adminState,
    Notes notes)
    implements CatalogItem {

  /** The largest number of a VIP, and the max number of VIPs. */
  public static final int MAX_NUMBER = 4095;

  /** Its max number of connections. */
  public int limit() {
    return connectionLimit == null ? Server.NO_LIMIT : connectionLimit;
  }

  /** Whether its connections can be placed by rules in advance, all the time or under load. */
  public boolean mayBeProactive() {
    return placement.isInAdvance() || (placement == PlacementMode.AUTO && hasTransportPort());
  }

  private boolean hasTransportPort() {
    return port != null && (protocol == Protocol.TCP || protocol == Protocol.UDP);
  }

  /** Whether the controller can choose the member of each connection that switches track. */
  public boolean mayBeExact() {
    return placement == PlacementMode.TRACKED || placement == PlacementMode.AUTO;
  }

  /** The port at which a member serves its clients; null for the port that they use. */
  public @Nullable Integer portAt(Member member) {
    return member.port() == null ? port : member.port();
  }

  /** Whether a client may use it, given the {@link AddressKey} of its address. */
  public boolean allows(int client) {
    return allowedSources == null || allowedSources.contains(client);
  }
}
