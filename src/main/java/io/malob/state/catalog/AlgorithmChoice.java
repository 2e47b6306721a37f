package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;

/**
 * The algorithm of a connection, and the item that names it. Immutable.
 *
 * @param algorithm the algorithm
 * @param source the kind of item that names it
 * @param item this VIP, pool or service
 */
public record AlgorithmChoice(Algorithm algorithm, Source source, CatalogItem item) {

  /** The places that can name an algorithm. The first one with a name decides. */
  public enum Source {
    /** The VIP's own {@code lb_method}. */
    VIP,
    /** The pool's. */
    POOL,
    /** An entry of the services table for the port. */
    SERVICE,
    /** The default entry of the services table. */
    DEFAULT
  }
}
