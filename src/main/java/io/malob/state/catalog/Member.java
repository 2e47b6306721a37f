package io.malob.state.catalog;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

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
 * @param weight its share among the members of its pool, from 1 to {@link #MAX_WEIGHT}
 * @param adminState whether it takes connections
 */
public record Member(
    int number,
    String id,
    @Nullable String poolId,
    IPv4Address address,
    @Nullable Integer port,
    int weight,
    AdminState adminState)
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
    fields.put("admin_state", adminState.text());
    return fields;
  }

  /** Whether new connections may be placed on it. */
  public boolean isUp() {
    return adminState == AdminState.UP;
  }

  /** The same member in no pool. */
  Member withoutPool() {
    return new Member(number, id, null, address, port, weight, adminState);
  }
}
