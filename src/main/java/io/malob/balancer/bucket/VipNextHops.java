package io.malob.balancer.bucket;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import io.malob.openflow.NextHopMac;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The next hops of VIPs that are or may become proactive: hosts and routers that have asked for the
 * VIP's MAC address, or that a member's reply was addressed to. Members' edges need a rule for
 * each; how many clients a router has does not matter. Thread-safe, without locks.
 */
public final class VipNextHops {
  /** The max number of next hops of a VIP address, and of its askers. */
  public static final int MAX = 10_000;

  /** By the key of the VIP's address. */
  private final Map<Integer, OfVip> byVip = new ConcurrentHashMap<>();

  private final AtomicBoolean isChanged = new AtomicBoolean();
  private final Runnable whenChanged;

  /**
   * The next hops of a VIP address.
   *
   * @param nextHops by their numbers
   * @param askers by the IPv4 addresses that have asked
   */
  private record OfVip(Map<MacAddress, Attachment> nextHops, Map<Integer, Attachment> askers) {
    OfVip() {
      this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
    }
  }

  /**
   * No next hops.
   *
   * @param whenChanged called, on any thread, when {@link #takeChanged} will return true
   */
  public VipNextHops(Runnable whenChanged) {
    this.whenChanged = whenChanged;
  }

  /** Learns a next hop of a VIP address. If there are too many, another one gives way. */
  public void learn(int vip, Attachment at) {
    put(ofVip(vip).nextHops, NextHopMac.of(at), at);
  }

  /**
   * Learns that a next hop has asked for the MAC of a VIP's IPv4 address.
   *
   * @param address its own IPv4 address
   */
  public void learnAsker(int vip, int address, Attachment at) {
    put(ofVip(vip).askers, address, at);
  }

  private OfVip ofVip(int vip) {
    return byVip.computeIfAbsent(vip, any -> new OfVip());
  }

  private <K> void put(Map<K, Attachment> all, K key, Attachment at) {
    if (at.equals(all.get(key))) {
      return;
    }
    // the one that gives way, if it is in use, is learned again by the next packet for it
    while (all.size() >= MAX && !all.containsKey(key)) {
      all.keySet().stream().findAny().ifPresent(all::remove);
    }
    all.put(key, at);
    if (isChanged.compareAndSet(false, true)) {
      whenChanged.run();
    }
  }

  /** Follows a next hop that has moved; no effect on others. */
  public void moved(Attachment now) {
    MacAddress number = NextHopMac.of(now);
    for (OfVip each : byVip.values()) {
      if (each.nextHops.containsKey(number)) {
        put(each.nextHops, number, now);
      }
      each.askers.forEach(
          (address, at) -> {
            if (NextHopMac.of(at).equals(number)) {
              put(each.askers, address, now);
            }
          });
    }
  }

  /** Whether there were changes since the last call. */
  public boolean takeChanged() {
    return isChanged.getAndSet(false);
  }

  /** The next hops of a VIP address, by their numbers. */
  public ImmutableMap<MacAddress, Attachment> of(int vip) {
    @Nullable OfVip found = byVip.get(vip);
    return found == null ? ImmutableMap.of() : ImmutableMap.copyOf(found.nextHops);
  }

  /** The next hops that have asked for a VIP address, by their own IPv4 addresses. */
  public ImmutableMap<Integer, Attachment> askers(int vip) {
    @Nullable OfVip found = byVip.get(vip);
    return found == null ? ImmutableMap.of() : ImmutableMap.copyOf(found.askers);
  }

  /** Forgets the next hops of other VIP addresses. */
  public void retain(Set<Integer> vips) {
    byVip.keySet().retainAll(vips);
  }
}
