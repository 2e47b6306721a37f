package io.malob.balancer.api;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import java.util.Optional;

/**
 * Some of the connections, in the order of their requests' five-tuples. Immutable.
 *
 * @param connections those of the page
 * @param last after which the next page begins; empty if there was nothing after this one
 */
public record ConnectionPage(
    ImmutableList<PlacedConnection> connections, Optional<FiveTuple> last) {}
