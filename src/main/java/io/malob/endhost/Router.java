package io.malob.endhost;

import io.malob.openflow.packet.NeighbourReplies;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The router of one uplink for one IP version. It is asked for its MAC, more often while it owes an
 * answer; that also tells whether it is there. For one thread.
 */
final class Router {
  private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long DOUBT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final IPVersion version;
  private final long knownNanos;
  private final long lostNanos;
  private final Liveness liveness = new Liveness();
  private Optional<MacAddress> mac = Optional.empty();
  private OptionalLong askedNanos = OptionalLong.empty();

  /** How often it is asked while it is there, and when it has gone. */
  private Router(IPVersion version, long knownMillis, long lostMillis) {
    this.version = version;
    this.knownNanos = TimeUnit.MILLISECONDS.toNanos(knownMillis);
    this.lostNanos = TimeUnit.MILLISECONDS.toNanos(lostMillis);
  }

  /** A router that is asked by echoes besides. */
  static Router ofIpv4() {
    return new Router(IPVersion.IPv4, 10_000, 500);
  }

  /** A router that is asked for nothing but its MAC. */
  static Router ofIpv6() {
    return new Router(IPVersion.IPv6, 1_000, 1_000);
  }

  /** Nothing is known any more. */
  void clear() {
    mac = Optional.empty();
    askedNanos = OptionalLong.empty();
    liveness.clear();
  }

  /** The frame that asks for its MAC now, if it is time and the uplink has what that takes. */
  Optional<byte[]> question(Uplink uplink, long nowNanos) {
    if (!uplink.reaches(version)
        || (askedNanos.isPresent() && nowNanos - askedNanos.getAsLong() < pause(nowNanos))) {
      return Optional.empty();
    }
    askedNanos = OptionalLong.of(nowNanos);
    liveness.asked(nowNanos);
    IPAddress<?> own = uplink.address(version).orElseThrow();
    return Optional.of(
        NeighbourReplies.question(uplink.mac(), own, uplink.gateway(version).orElseThrow()));
  }

  private long pause(long nowNanos) {
    boolean isThere = liveness.isThere(nowNanos);
    if (mac.isEmpty()) {
      return UNKNOWN_NANOS;
    }
    return !isThere ? lostNanos : liveness.isInDoubt(nowNanos) ? DOUBT_NANOS : knownNanos;
  }

  /** It has told its MAC. */
  void told(MacAddress its) {
    mac = Optional.of(its);
    liveness.heard();
  }

  /** It is asked for something else. */
  void asked(long nowNanos) {
    liveness.asked(nowNanos);
  }

  /** It has answered that. */
  void heard() {
    liveness.heard();
  }

  /** Whether the uplink has lately carried something towards the host. */
  void busy(boolean is) {
    liveness.busy(is);
  }

  /** Whether it is there, and its MAC is known. */
  boolean isThere(long nowNanos) {
    return liveness.isThere(nowNanos) && mac.isPresent();
  }

  /** Whether there is an answer overdue. */
  boolean isInDoubt(long nowNanos) {
    return liveness.isThere(nowNanos) && liveness.isInDoubt(nowNanos);
  }

  /** The same whether or not it is there. */
  boolean owesAnswer(long nowNanos) {
    return liveness.isInDoubt(nowNanos);
  }

  /** The MAC that it had when it was last heard of. */
  Optional<MacAddress> mac() {
    return mac;
  }
}
