package io.malob.balancer.admission;

import io.malob.algorithm.VlanAddress;
import io.malob.openflow.packet.Packet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Asks for hosts that are not located, by ARP or neighbour solicitations, at a limited rate per
 * host. For one thread at a time.
 */
public final class MissingHosts {
  /** How many members are asked for at a time, so that a large pool causes no storm. */
  private static final int BATCH = 64;

  /** The shortest interval between requests for the same host. */
  private static final long MIN_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final HostFinder hosts;
  private final LongSupplier nanoTime;
  private final Map<VlanAddress, Long> askedAtNanos = new HashMap<>();

  public MissingHosts(HostFinder hosts, LongSupplier nanoTime) {
    this.hosts = hosts;
    this.nanoTime = nanoTime;
  }

  /**
   * Asks for members.
   *
   * @param missing their addresses, each with the VIP that is the sender of the question
   */
  public void askForMembers(Map<VlanAddress, IPAddress<?>> missing) {
    missing.entrySet().stream().limit(BATCH).forEach(each -> ask(each.getKey(), each.getValue()));
  }

  /** Asks for the client of a packet if the client is not located. */
  public void askForClient(Arrival arrival) {
    if (hosts.locate(arrival.switchId(), arrival.inPort(), arrival.packet()).isEmpty()) {
      Packet packet = arrival.packet();
      ask(new VlanAddress(packet.source(), packet.vlan()), packet.destination());
    }
  }

  /** Clears the rate limits, so that the memory stays bounded. Call it every few seconds. */
  public void sweep() {
    askedAtNanos.clear();
  }

  private void ask(VlanAddress host, IPAddress<?> vip) {
    long now = nanoTime.getAsLong();
    VlanAddress nextHop = new VlanAddress(hosts.routing().nextHop(host.address()), host.vlan());
    @Nullable Long askedAt = askedAtNanos.get(nextHop);
    boolean early = askedAt != null && now - askedAt < MIN_INTERVAL_NANOS;
    if (!early && hosts.probeAll(host, vip)) {
      askedAtNanos.put(nextHop, now);
    }
  }
}
