package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of the services table (MALOB thesis, Table 3.2): the algorithm for requests to a port.
 *
 * @param id what it is called in URLs
 * @param name a text for people
 * @param protocol null for all of them
 * @param port TCP or UDP port from 1 to 65535, or ICMP type from 0 to 255; null in the default
 *     entry and nowhere else
 * @param algorithm what such requests are placed with
 */
public record Service(
    String id,
    String name,
    @Nullable Protocol protocol,
    @Nullable Integer port,
    Algorithm algorithm)
    implements CatalogItem {

  /** The id of the default entry, which is always there. */
  public static final String DEFAULT_ID = "default";

  /** The default entry of a new catalog. */
  static Service defaultEntry() {
    return new Service(DEFAULT_ID, "Default", null, null, Algorithm.DEFAULT);
  }

  /** Whether this is the entry for all ports that no other entry names. */
  public boolean isDefault() {
    return id.equals(DEFAULT_ID);
  }

  @Override
  public Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("id", id);
    fields.put("service_name", name);
    fields.put("protocol", protocol == null ? null : protocol.text());
    fields.put("port", port);
    fields.put("algorithm", algorithm.name());
    return fields;
  }
}
