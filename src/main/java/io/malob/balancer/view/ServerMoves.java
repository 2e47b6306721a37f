package io.malob.balancer.view;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
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
 * neighbour discovery, and only its silence moves the server. The server's own MAC address at
 * another location is usually that of a bond that has changed its leg: then a shorter silence is
 * enough, and packets that the old leg has sent before do not count as answers. Any thread may
 * judge packets, without a lock. At most one probe per server is open.
 */
public final class ServerMoves {
  public static final long TICK_MILLIS = 100;

  /** The time a server has to answer. It is probed every tick. */
  private static final long MAX_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The same, if its own MAC address is elsewhere. Open connections pause that long. */
  private static final long MAX_OWN_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** The time in which packets of the old leg may still arrive. */
  private static final long IN_FLIGHT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The time that an answer, or its absence, stays valid until the next probe. */
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The time that an answer stays valid, if the server's own MAC address is elsewhere. */
  private static final long OWN_VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<IPAddress<?>, Probe> probes = new ConcurrentHashMap<>();
  private final Locations locations;
  private final SplitHosts splitHosts;
  private final LongSupplier nanoTime;

  /** Access to locations: their state, and questions to hosts there. */
  public interface Locations {
    /** Whether the port is up and this controller is master of its switch. */
    boolean isUp(Attachment location);

    /**
     * Asks for an address at one location, in its VLAN, on behalf of a VIP of the same IP version.
     */
    void probeAt(Attachment location, IPAddress<?> address, IPAddress<?> vip);

    /** Asks the same at all host ports. */
    boolean probeAll(VlanAddress host, IPAddress<?> vip);
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
    final boolean isOwnMac;
    final long sentNanos;
    volatile boolean isAnswered;
    volatile boolean isMoved;

    Probe(ServerLocation server, boolean isOwnMac, long sentNanos) {
      this.server = server;
      this.isOwnMac = isOwnMac;
      this.sentNanos = sentNanos;
    }

    /** A packet came from the server's location. */
    void seen(long nowNanos) {
      if (!isOwnMac || nowNanos - sentNanos >= IN_FLIGHT_NANOS) {
        isAnswered = true;
      }
    }

    boolean isOpen(long nowNanos) {
      return nowNanos - sentNanos < (isOwnMac ? MAX_OWN_ANSWER_NANOS : MAX_ANSWER_NANOS);
    }

    boolean isOutdated(long nowNanos) {
      return nowNanos - sentNanos > (isOwnMac && isAnswered ? OWN_VALID_NANOS : VALID_NANOS);
    }
  }

  public ServerMoves(Locations locations, LongSupplier nanoTime) {
    this.locations = locations;
    this.splitHosts = new SplitHosts(locations::isUp, nanoTime);
    this.nanoTime = nanoTime;
  }

  /** The hosts that come from two ports in turns. */
  public SplitHosts splitHosts() {
    return splitHosts;
  }

  /** Judges a packet that arrived at the given location. */
  public Verdict judge(ServerLocation server, Attachment from) {
    @Nullable Probe probe = probes.get(server.address());
    if (server.at().equals(from)) {
      if (probe != null) {
        probe.seen(nanoTime.getAsLong());
      }
      splitHosts.seen(from);
      return Verdict.AT_HOME;
    }
    if (!locations.isUp(server.at())) {
      return Verdict.MOVED;
    }
    boolean isOwnMac = from.mac().equals(server.at().mac());
    if (isOwnMac) {
      splitHosts.seenElsewhere(server.at(), from);
    }
    long now = nanoTime.getAsLong();
    if (probe == null || !probe.server.at().equals(server.at()) || probe.isOutdated(now)) {
      probe(new Probe(server, isOwnMac, now), probe);
      return Verdict.IN_DOUBT;
    }
    if (probe.isAnswered) {
      return Verdict.REFUSED;
    }
    return probe.isOpen(now) ? Verdict.IN_DOUBT : Verdict.MOVED;
  }

  private void probe(Probe probe, @Nullable Probe before) {
    ServerLocation server = probe.server;
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
    probes.values().removeIf(probe -> probe.isOutdated(now));
    for (Probe probe : probes.values()) {
      ServerLocation server = probe.server;
      if (!probe.isAnswered && probe.isOpen(now)) {
        locations.probeAt(server.at(), server.address(), server.vip());
      } else if (!probe.isAnswered && !probe.isMoved) {
        probe.isMoved = true;
        locations.probeAll(new VlanAddress(server.address(), server.at().vlan()), server.vip());
      }
    }
  }
}
