package io.malob.balancer.view;

import io.malob.algorithm.Attachment;
import io.malob.balancer.health.Probe;
import io.malob.balancer.view.ServerLocations.ServerLocation;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Distinguishes servers that move from hosts that only claim to be a server. If the old location is
 * down, the new one is accepted at once. Otherwise a question goes to the old location, by ARP or
 * neighbour discovery, and only its silence moves the server. Any thread may judge packets, without
 * a lock. At most one probe per server is open.
 */
public final class ServerMoves {
  public static final long TICK_MILLIS = 250;

  /** The time a server has to answer. It is probed every tick. */
  private static final long MAX_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time that an answer, or its absence, stays valid until the next probe. */
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Map<IPAddress<?>, Probe> probes = new ConcurrentHashMap<>();
  private final Locations locations;
  private final LongSupplier nanoTime;

  /** Access to locations: their state, and questions to hosts there. */
  public interface Locations {
    /** Whether the port is up and this controller is master of its switch. */
    boolean isUp(Attachment location);

    /** Asks for an address at one location, on behalf of a VIP of the same IP version. */
    void probeAt(Attachment location, IPAddress<?> address, IPAddress<?> vip);

    /** Asks the same at all host ports. */
    boolean probeEverywhere(IPAddress<?> address, IPAddress<?> vip);
  }

  /** The verdict on a packet with a server's address as its source. */
  public enum Verdict {
    /** The packet comes from the server's location. */
    AT_HOME,
    /** The server has moved to the packet's location. */
    MOVED,
    /** A probe to the old location is open. */
    IN_DOUBT,
    /** The server has just answered at its own location. */
    REFUSED
  }

  private static final class Probe {
    final ServerLocation server;
    final long sentNanos;
    volatile boolean isAnswered;
    volatile boolean isMoved;

    Probe(ServerLocation server, long sentNanos) {
      this.server = server;
      this.sentNanos = sentNanos;
    }
  }

  public ServerMoves(Locations locations, LongSupplier nanoTime) {
    this.locations = locations;
    this.nanoTime = nanoTime;
  }

  /** Judges a packet that arrived at the given location. */
  public Verdict judge(ServerLocation server, Attachment from) {
    @Nullable Probe probe = probes.get(server.address());
    if (server.at().equals(from)) {
      if (probe != null) {
        probe.isAnswered = true;
      }
      return Verdict.AT_HOME;
    }
    if (!locations.isUp(server.at())) {
      return Verdict.MOVED;
    }
    long now = nanoTime.getAsLong();
    if (probe == null
        || !probe.server.at().equals(server.at())
        || now - probe.sentNanos > VALID_NANOS) {
      probe(server, probe, now);
      return Verdict.IN_DOUBT;
    }
    if (probe.isAnswered) {
      return Verdict.REFUSED;
    }
    return now - probe.sentNanos < MAX_ANSWER_NANOS ? Verdict.IN_DOUBT : Verdict.MOVED;
  }

  private void probe(ServerLocation server, @Nullable Probe before, long now) {
    Probe probe = new Probe(server, now);
    boolean isFirst =
        before == null
            ? probes.putIfAbsent(server.address(), probe) == null
            : probes.replace(server.address(), before, probe);
    if (isFirst) {
      locations.probeAt(server.at(), server.address(), server.vip());
    }
  }

  /**
   * Repeats probes without an answer, and asks at all host ports for servers that must have moved.
   */
  public void tick() {
    long now = nanoTime.getAsLong();
    probes.values().removeIf(probe -> now - probe.sentNanos > VALID_NANOS);
    for (Probe probe : probes.values()) {
      ServerLocation server = probe.server;
      long age = now - probe.sentNanos;
      if (!probe.isAnswered && age < MAX_ANSWER_NANOS) {
        locations.probeAt(server.at(), server.address(), server.vip());
      } else if (!probe.isAnswered && !probe.isMoved) {
        probe.isMoved = true;
        locations.probeEverywhere(server.address(), server.vip());
      }
    }
  }
}
