package io.malob.state.catalog;

import io.malob.algorithm.Server;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A server in a pool.
 *
 * @param number a small number for cookies, from 1 to {@link #MAX_NUMBER}; unique among the
 *     members, permanent, and reused as late as possible
 * @param id its id in URLs
 * @param name a display name, which may be empty
 * @param poolId its pool, which exists; null for none, then it gets no connections
 * @param address a unicast address that no VIP has
 * @param vlan its VLAN, from 1 to 4094, the same at all members of the address; 0 if its frames are
 *     untagged
 * @param port TCP or UDP port from 1 to 65535, or ICMP type from 0 to 255; null for the client's
 *     destination port
 * @param weight its share among the members of its pool, from 0 to {@link #MAX_WEIGHT}; with 0 it
 *     takes no new connections
 * @param backup whether it takes connections only while no other member of its pool can
 * @param connectionLimit its max number of connections, from 1; null for no limit
 * @param adminState whether it takes connections
 * @param monitorAddress the address for HTTP checks; null for its address
 * @param monitorPort the port of TCP and HTTP checks; null for the monitor's
 * @param notes descriptions without effect
 */
public record Member(
    int number,
    String id,
    String name,
    @Nullable String poolId,
    IPAddress<?> address,
    int vlan,
    @Nullable Integer port,
    int weight,
    boolean backup,
    @Nullable Integer connectionLimit,
    AdminState adminState,
    @Nullable IPAddress<?> monitorAddress,
    @Nullable Integer monitorPort,
    Notes notes)
    implements CatalogItem {

  /** The largest number of a member, and the max number of members. */
  public static final int MAX_NUMBER = 65_535;

  /** The largest weight. */
  public static final int MAX_WEIGHT = 256;

  /** Whether new connections may be placed on it. */
  public boolean takesNew() {
    return adminState == AdminState.UP && weight > 0;
  }

  /** The address for HTTP checks. */
  public IPAddress<?> monitored() {
    return monitorAddress == null ? address : monitorAddress;
  }

  /** Its max number of connections. */
  public int limit() {
    return connectionLimit == null ? Server.NO_LIMIT : connectionLimit;
  }
}
