package io.malob.balancer.view;

import io.malob.algorithm.Attachment;
import io.malob.balancer.health.Probe;
import io.malob.balancer.view.ServerLocations.ServerPlace;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Tells servers that move from hosts that only say so. Where the old place is down, the new one is
 * believed at once; else the old place is asked by ARP, and only its silence moves the server.
 * Judged by any thread, without a lock; at most one question per server is open.
 */
public final class ServerMoves {
  public static final long TICK_MILLIS = 250;

  /** How long a server may take to answer; it is asked every tick. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an answer, or silence, counts until it is asked again. */
  private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Map<IPAddress<?>, Probe> probes = new ConcurrentHashMap<>();
  private final Places places;
  private final LongSupplier nanoTime;

  /** What is known of places, and how they are asked. */
  public interface Places {
    /** Whether the port is up and its switch takes orders. */
    boolean isUp(Attachment place);

    /** Asks at one place for an address, in the name of a VIP. */
    void askAt(Attachment place, IPAddress<?> address, IPAddress<?> vip);

    /** Asks the same everywhere. */
    boolean ask(IPAddress<?> address, IPAddress<?> vip);
  }

  /** What to make of a packet that names a server as its sender. */
  public enum Verdict {
    /** It comes from where the server is. */
    AT_HOME,
    /** The server has moved there. */
    MOVED,
    /** Its old place is being asked. */
    IN_DOUBT,
    /** The server is elsewhere, and has just said so. */
    REFUSED
  }

  private static final class Probe {
    final ServerPlace server;
    final long askedNanos;
    volatile boolean isAnswered;
    volatile boolean isMoved;

    Probe(ServerPlace server, long askedNanos) {
      this.server = server;
      this.askedNanos = askedNanos;
    }
  }

  public ServerMoves(Places places, LongSupplier nanoTime) {
    this.places = places;
    this.nanoTime = nanoTime;
  }

  /** Judges a packet that came in there. */
  public Verdict judge(ServerPlace server, Attachment from) {
    @Nullable Probe probe = probes.get(server.address());
    if (server.at().equals(from)) {
      if (probe != null) {
        probe.isAnswered = true;
      }
      return Verdict.AT_HOME;
    }
    if (!places.isUp(server.at())) {
      return Verdict.MOVED;
    }
    long now = nanoTime.getAsLong();
    if (probe == null
        || !probe.server.at().equals(server.at())
        || now - probe.askedNanos > MEMORY_NANOS) {
      ask(server, probe, now);
      return Verdict.IN_DOUBT;
    }
    if (probe.isAnswered) {
      return Verdict.REFUSED;
    }
    return now - probe.askedNanos < PATIENCE_NANOS ? Verdict.IN_DOUBT : Verdict.MOVED;
  }

  private void ask(ServerPlace server, @Nullable Probe before, long now) {
    Probe probe = new Probe(server, now);
    boolean isFirst =
        before == null
            ? probes.putIfAbsent(server.address(), probe) == null
            : probes.replace(server.address(), before, probe);
    if (isFirst) {
      places.askAt(server.at(), server.address(), server.vip());
    }
  }

  /** Asks again where nothing was heard, and everywhere for those that must have moved. */
  public void tick() {
    long now = nanoTime.getAsLong();
    probes.values().removeIf(probe -> now - probe.askedNanos > MEMORY_NANOS);
    for (Probe probe : probes.values()) {
      ServerPlace server = probe.server;
      long age = now - probe.askedNanos;
      if (!probe.isAnswered && age < PATIENCE_NANOS) {
        places.askAt(server.at(), server.address(), server.vip());
      } else if (!probe.isAnswered && !probe.isMoved) {
        probe.isMoved = true;
        places.ask(server.address(), server.vip());
      }
    }
  }
}
