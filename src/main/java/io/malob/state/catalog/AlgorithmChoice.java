package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;

/**
 * Which algorithm a connection is placed with, and what says so. Immutable.
 *
 * @param algorithm the algorithm
 * @param source what kind of item names it
 * @param item the VIP, pool or service that does
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
