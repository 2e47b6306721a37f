package io.malob.state.catalog;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Server;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A virtual address that clients use, with the traffic to it that is balanced.
 *
 * @param number a small number for cookies, from 1 to {@link #MAX_NUMBER}; unique among the VIPs,
 *     kept for life, and given again as late as possible after that
 * @param id what it is called in URLs
 * @param name a text for people
 * @param protocol null for all of them
 * @param address a unicast address that no member has; several VIPs can share it
 * @param port TCP or UDP port from 1 to 65535, or ICMP type from 0 to 255; null for all of them
 * @param algorithm null to leave it to the pool and the services
 * @param allowedSources where clients may come from; null for anywhere
 * @param connectionLimit how many connections it may have, from 1; null for any number
 */
public record Vip(
    int number,
    String id,
    String name,
    @Nullable Protocol protocol,
    IPAddress<?> address,
    @Nullable Integer port,
    @Nullable Algorithm algorithm,
    @Nullable SourceNetworks allowedSources,
    @Nullable Integer connectionLimit)
    implements CatalogItem {

  /** The largest number of a VIP, and so how many there can be. */
  public static final int MAX_NUMBER = 4095;

  @Override
  public Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("id", id);
    fields.put("name", name);
    fields.put("protocol", protocol == null ? null : protocol.text());
    fields.put("address", address.toString());
    fields.put("port", port);
    fields.put("lb_method", algorithm == null ? null : algorithm.name());
    fields.put("allowed_sources", allowedSources == null ? null : allowedSources.texts());
    fields.put("connection_limit", connectionLimit);
    return fields;
  }

  /** How many connections it may have. */
  public int limit() {
    return connectionLimit == null ? Server.NO_LIMIT : connectionLimit;
  }

  /** Whether a client may use it, given the {@link AddressKey} of its address. */
  public boolean allows(int client) {
    return allowedSources == null || allowedSources.contains(client);
  }
}
