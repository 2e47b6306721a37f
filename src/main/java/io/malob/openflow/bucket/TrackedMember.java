package io.malob.openflow.bucket;

import io.malob.algorithm.Server;
import io.malob.openflow.Onward;
import org.jspecify.annotations.Nullable;

/**
 * A member that a switch remembers for connections.
 *
 * @param next where packets to it leave the switch; null if it is down or removed
 */
public record TrackedMember(Server member, @Nullable Onward next) {}
