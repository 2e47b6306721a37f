package io.malob.balancer.api;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import java.util.Optional;

/**
 * One page of the list of connections, in the order of their requests' five-tuples. Immutable.
 *
 * @param connections the connections of this page
 * @param last the five-tuple after which the next page begins; empty on the last page
 */
public record ConnectionPage(
    ImmutableList<PlacedConnection> connections, Optional<FiveTuple> last) {}
