package io.malob.endhost;

import io.malob.openflow.packet.NeighbourReplies;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The router of one uplink for one IP version. It is asked for its MAC, more often while an answer
 * is overdue; that also shows whether it is alive. For one thread.
 */
final class Router {
  private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long DOUBT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final IPVersion version;
  private final long knownNanos;
  private final long lostNanos;

  /** By requests for its MAC, and by others. */
  final Liveness liveness = new Liveness();

  private Optional<MacAddress> mac = Optional.empty();
  private OptionalLong askedNanos = OptionalLong.empty();

  /** The interval between requests while it is alive, and while it is dead. */
  private Router(IPVersion version, long knownMillis, long lostMillis) {
    this.version = version;
    this.knownNanos = TimeUnit.MILLISECONDS.toNanos(knownMillis);
    this.lostNanos = TimeUnit.MILLISECONDS.toNanos(lostMillis);
  }

  /** A router that is also probed by echoes. */
  static Router ofIpv4() {
    return new Router(IPVersion.IPv4, 10_000, 500);
  }

  /** A router that is only asked for its MAC. */
  static Router ofIpv6() {
    return new Router(IPVersion.IPv6, 1_000, 1_000);
  }

  /** Resets the state. */
  void clear() {
    mac = Optional.empty();
    askedNanos = OptionalLong.empty();
    liveness.clear();
  }

  /** The request for its MAC, if it is due and the uplink has the required addresses. */
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

  /** It has answered with its MAC. */
  void told(MacAddress its) {
    mac = Optional.of(its);
    liveness.heard();
  }

  /** Whether it is alive, and its MAC is known. */
  boolean isThere(long nowNanos) {
    return liveness.isThere(nowNanos) && mac.isPresent();
  }

  /** Whether an answer is overdue. */
  boolean isInDoubt(long nowNanos) {
    return liveness.isThere(nowNanos) && liveness.isInDoubt(nowNanos);
  }

  /** Its last known MAC. */
  Optional<MacAddress> mac() {
    return mac;
  }
}
