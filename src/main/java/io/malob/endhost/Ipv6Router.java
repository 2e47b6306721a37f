package io.malob.endhost;

import io.malob.openflow.packet.Ipv6Replies;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The IPv6 router of one uplink. It is asked for its MAC every second, more often while it owes an
 * answer; that also tells whether it is there. For one thread.
 */
final class Ipv6Router {
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long ASK_IN_DOUBT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Liveness liveness = new Liveness();
  private Optional<MacAddress> mac = Optional.empty();
  private OptionalLong askedNanos = OptionalLong.empty();

  /** Nothing is known any more. */
  void clear() {
    mac = Optional.empty();
    askedNanos = OptionalLong.empty();
    liveness.clear();
  }

  /** The frame that asks for it now, if it is time and the uplink has what that takes. */
  Optional<byte[]> question(Uplink uplink, long nowNanos) {
    if (uplink.ipv6().isEmpty() || uplink.gatewayIpv6().isEmpty()) {
      return Optional.empty();
    }
    long pause = isInDoubt(nowNanos) ? ASK_IN_DOUBT_NANOS : ASK_NANOS;
    if (askedNanos.isPresent() && nowNanos - askedNanos.getAsLong() < pause) {
      return Optional.empty();
    }
    askedNanos = OptionalLong.of(nowNanos);
    liveness.asked(nowNanos);
    return Optional.of(
        Ipv6Replies.solicitation(uplink.mac(), uplink.ipv6().get(), uplink.gatewayIpv6().get()));
  }

  /** It has told its MAC. */
  void answered(MacAddress its) {
    mac = Optional.of(its);
    liveness.heard();
  }

  /** Whether the uplink has lately carried something towards the host. */
  void busy(boolean is) {
    liveness.busy(is);
  }

  /** Whether there is an answer overdue. */
  boolean isInDoubt(long nowNanos) {
    return liveness.isThere(nowNanos) && liveness.isInDoubt(nowNanos);
  }

  /** Its MAC, as long as it is there. */
  Optional<MacAddress> mac(long nowNanos) {
    return liveness.isThere(nowNanos) ? mac : Optional.empty();
  }
}
