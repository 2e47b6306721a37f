package io.malob.state.catalog;

import io.malob.algorithm.Server;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A server in a pool.
 *
 * @param number a small number for cookies, from 1 to {@link #MAX_NUMBER}; unique among the
 *     members, kept for life, and given again as late as possible after that
 * @param id what it is called in URLs
 * @param poolId its pool, which is there; null for none, and then it gets no connections
 * @param address a unicast address that is no VIP's
 * @param port TCP or UDP port from 1 to 65535, or ICMP type from 0 to 255; null for the port that
 *     the client asked for
 * @param weight its share among the members of its pool, from 0 to {@link #MAX_WEIGHT}; with 0 it
 *     takes no new connections
 * @param backup whether it takes connections only while no other member of its pool can
 * @param connectionLimit how many connections it may have, from 1; null for any number
 * @param adminState whether it takes connections
 * @param monitorAddress where HTTP checks find it; null for its address
 */
public record Member(
    int number,
    String id,
    @Nullable String poolId,
    IPAddress<?> address,
    @Nullable Integer port,
    int weight,
    boolean backup,
    @Nullable Integer connectionLimit,
    AdminState adminState,
    @Nullable IPAddress<?> monitorAddress)
    implements CatalogItem {

  /** The largest number of a member, and so how many there can be. */
  public static final int MAX_NUMBER = 65_535;

  /** The largest weight. */
  public static final int MAX_WEIGHT = 256;

  @Override
  public Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("id", id);
    fields.put("address", address.toString());
    fields.put("port", port);
    fields.put("pool_id", poolId);
    fields.put("weight", weight);
    fields.put("backup", backup);
    fields.put("connection_limit", connectionLimit);
    fields.put("admin_state", adminState.text());
    fields.put("monitor_address", monitorAddress == null ? null : monitorAddress.toString());
    return fields;
  }

  /** Whether new connections may be placed on it. */
  public boolean takesNew() {
    return adminState == AdminState.UP && weight > 0;
  }

  /** Where HTTP checks find it. */
  public IPAddress<?> monitored() {
    return monitorAddress == null ? address : monitorAddress;
  }

  /** How many connections it may have. */
  public int limit() {
    return connectionLimit == null ? Server.NO_LIMIT : connectionLimit;
  }

  /** The same member in no pool. */
  Member withoutPool() {
    return new Member(
        number,
        id,
        null,
        address,
        port,
        weight,
        backup,
        connectionLimit,
        adminState,
        monitorAddress);
  }
}
