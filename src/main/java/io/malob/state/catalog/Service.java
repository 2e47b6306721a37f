package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line of the services table (MALOB thesis, Table 3.2): the algorithm for requests to a port.
 *
 * @param id its id in URLs
 * @param name a display name
 * @param protocol null for all of them
 * @param port TCP or UDP port from 1 to 65535, or ICMP type from 0 to 255; null only in the default
 *     entry
 * @param algorithm the algorithm for these requests
 */
public record Service(
    String id,
    String name,
    @Nullable Protocol protocol,
    @Nullable Integer port,
    Algorithm algorithm)
    implements CatalogItem {

  /** The id of the default entry, which always exists. */
  public static final String DEFAULT_ID = "default";

  /** The default entry of a new catalog. */
  static Service defaultEntry() {
    return new Service(DEFAULT_ID, "Default", null, null, Algorithm.DEFAULT);
  }

  /** The entries of a new catalog, the default one last: Table 3.2 of the thesis. */
  static List<Service> shipped() {
    return List.of(
        new Service("http", "HTTP", null, 80, algorithm("1")),
        new Service("ftp", "FTP", null, 21, algorithm("2")),
        new Service("bioapp", "BioApp", null, 6789, algorithm("3")),
        defaultEntry());
  }

  private static Algorithm algorithm(String thesisId) {
    return Algorithm.named(thesisId).orElseThrow();
  }

  /** Whether this is the entry for all ports without an entry. */
  public boolean isDefault() {
    return id.equals(DEFAULT_ID);
  }
}
