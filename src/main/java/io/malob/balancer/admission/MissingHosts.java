package io.malob.balancer.admission;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Asks by ARP for hosts that are not found, each not too often. For one thread at a time. */
public final class MissingHosts {
  /** How many members are asked for at a time, so that a large pool causes no storm of ARP. */
  private static final int MAX_AT_A_TIME = 64;

  /** How long to wait for an answer before the same host is asked for again. */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final HostFinder hosts;
  private final LongSupplier nanoTime;
  private final Map<IPv4Address, Long> askedAtNanos = new HashMap<>();

  public MissingHosts(HostFinder hosts, LongSupplier nanoTime) {
    this.hosts = hosts;
    this.nanoTime = nanoTime;
  }

  /**
   * Asks for members.
   *
   * @param missing their addresses, each with the VIP in whose name to ask
   */
  public void askForMembers(Map<IPv4Address, IPv4Address> missing) {
    missing.entrySet().stream()
        .limit(MAX_AT_A_TIME)
        .forEach(each -> ask(each.getKey(), each.getValue()));
  }

  /** Asks for the client that a packet comes from, if nobody knows where it is. */
  public void askForClient(Arrival arrival) {
    if (hosts.locate(arrival.switchId(), arrival.inPort(), arrival.packet()).isEmpty()) {
      ask(
          IPv4Address.of(arrival.packet().srcAddress()),
          IPv4Address.of(arrival.packet().dstAddress()));
    }
  }

  /** To be called every few seconds: all may be asked again, and nothing of them is kept. */
  public void sweep() {
    askedAtNanos.clear();
  }

  private void ask(IPv4Address host, IPv4Address vip) {
    long now = nanoTime.getAsLong();
    @Nullable Long askedAt = askedAtNanos.get(host);
    boolean early = askedAt != null && now - askedAt < AGAIN_NANOS;
    if (!early && hosts.ask(host, vip)) {
      askedAtNanos.put(host, now);
    }
  }
}
