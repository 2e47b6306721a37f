package io.malob.balancer.proactive;

import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.packet.Packet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Locates clients of proactive VIPs that the network does not know, because a bucket has placed
 * their first packet and they have sent no ARP request: those behind a router. Their next packets,
 * from any edge, go to the controller for some seconds, so that a retransmitted SYN tells where
 * they are. A client that does not exist sends none. {@link #replied} is thread-safe, the rest for
 * one thread at a time.
 */
final class UnknownClients {
  private static final int SECONDS = 5;

  /** The max number of clients that are looked for in that time. */
  private static final int MAX = 200;

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  private final BiConsumer<IPAddress<?>, IPAddress<?>> probe;
  private final Programmed programmed;
  private final LongSupplier nanoTime;

  /** Those of the current period, with the VIPs that they are clients of. */
  private final Set<Wanted> wanted = ConcurrentHashMap.newKeySet();

  private final Set<Wanted> asked = new LinkedHashSet<>();
  private volatile long periodSinceNanos;

  private record Wanted(IPAddress<?> vip, int port, IPAddress<?> client) {}

  UnknownClients(
      BiConsumer<IPAddress<?>, IPAddress<?>> probe,
      Programmed programmed,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.probe = probe;
    this.programmed = programmed;
    this.nanoTime = nanoTime;
    this.periodSinceNanos = nanoTime.getAsLong();
  }

  /** A member's reply to a client whose location is not known. */
  void replied(Packet reply) {
    if (wanted.size() < MAX) {
      wanted.add(new Wanted(reply.source(), reply.srcPort(), reply.destination()));
    }
  }

  /** Looks for the clients that are not looked for yet. */
  void advance(Collection<ProactiveVip> vips) {
    long now = nanoTime.getAsLong();
    if (now - periodSinceNanos >= PERIOD_NANOS) {
      periodSinceNanos = now;
      wanted.clear();
      asked.clear();
    }
    for (Wanted each : wanted) {
      if (asked.add(each)) {
        look(each, vips);
      }
    }
  }

  private void look(Wanted each, Collection<ProactiveVip> vips) {
    probe.accept(each.client, each.vip);
    for (ProactiveVip vip : vips) {
      if (vip.traffic().address().equals(each.vip) && vip.traffic().port() == each.port) {
        for (EdgeBuckets edge : vip.edges()) {
          if (edge.hasRules()) {
            look(edge.switchId(), vip, each.client);
          }
        }
      }
    }
  }

  private void look(DatapathId switchId, ProactiveVip vip, IPAddress<?> client) {
    programmed
        .wire(switchId)
        .ifPresent(
            wire ->
                wire.sw()
                    .then(BucketRules.fromClient(wire.tables(), vip.traffic(), client, SECONDS)));
  }
}
