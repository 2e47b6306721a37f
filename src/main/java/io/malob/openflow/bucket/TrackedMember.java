package io.malob.openflow.bucket;

import io.malob.algorithm.Server;
import io.malob.openflow.Onward;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A member that a switch remembers for connections.
 *
 * @param next where packets to it leave the switch; null if it is down or removed
 * @param source the address of the switch that the member sees; null for that of the client
 */
public record TrackedMember(Server member, @Nullable Onward next, @Nullable IPAddress<?> source) {
  /** A member that sees the addresses of clients. */
  public TrackedMember(Server member, @Nullable Onward next) {
    this(member, next, null);
  }

  /** The same, which sees this address. */
  public TrackedMember seeing(@Nullable IPAddress<?> other) {
    return new TrackedMember(member, next, other);
  }
}
