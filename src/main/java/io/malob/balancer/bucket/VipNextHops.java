package io.malob.balancer.bucket;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.Attachment;
import io.malob.openflow.NextHopMac;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The next hops of VIPs that are or may become proactive: hosts and routers that have asked for the
 * VIP's MAC address, or that a member's reply was addressed to. Members' edges need a rule for
 * each; how many clients a router has does not matter. Thread-safe, without locks.
 */
public final class VipNextHops {
  /** The max number of next hops of a VIP address, and of its askers. */
  public static final int MAX = 10_000;

  /** The max number of pairs of switches that a VIP address's next hops have been at. */
  static final int MAX_SHARED = 1_000;

  /** By the key of the VIP's address. */
  private final Map<Integer, OfVip> byVip = new ConcurrentHashMap<>();

  private final AtomicBoolean isChanged = new AtomicBoolean();
  private final Runnable whenChanged;

  /**
   * The next hops of a VIP address.
   *
   * @param nextHops by their numbers
   * @param askers by the IPv4 addresses that have asked
   * @param shared the pairs of switches at which one of them was after the other
   */
  private record OfVip(
      Map<MacAddress, Attachment> nextHops,
      Map<Integer, Attachment> askers,
      Set<ImmutableSet<DatapathId>> shared) {
    OfVip() {
      this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
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
    OfVip of = ofVip(vip);
    put(of, of.nextHops, NextHopMac.of(at), at);
  }

  /**
   * Learns that a next hop has asked for the MAC of a VIP's IPv4 address.
   *
   * @param address its own IPv4 address
   */
  public void learnAsker(int vip, int address, Attachment at) {
    OfVip of = ofVip(vip);
    put(of, of.askers, address, at);
  }

  private OfVip ofVip(int vip) {
    return byVip.computeIfAbsent(vip, any -> new OfVip());
  }

  private <K> void put(OfVip of, Map<K, Attachment> all, K key, Attachment at) {
    @Nullable Attachment before = all.get(key);
    if (at.equals(before)) {
      return;
    }
    if (before != null
        && !before.switchId().equals(at.switchId())
        && of.shared.size() < MAX_SHARED) {
      of.shared.add(ImmutableSortedSet.of(before.switchId(), at.switchId()));
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
        put(each, each.nextHops, number, now);
      }
      each.askers.forEach(
          (address, at) -> {
            if (NextHopMac.of(at).equals(number)) {
              put(each, each.askers, address, now);
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

  /**
   * The pairs of switches at which a next hop of a VIP address was seen, one after the other: a
   * gateway that another router has taken over, or a bond that has changed its leg. Others do not
   * count any more if there are very many.
   */
  public ImmutableSet<ImmutableSet<DatapathId>> shared(int vip) {
    @Nullable OfVip found = byVip.get(vip);
    return found == null ? ImmutableSet.of() : ImmutableSet.copyOf(found.shared);
  }

  /** Forgets the next hops of other VIP addresses. */
  public void retain(Set<Integer> vips) {
    byVip.keySet().retainAll(vips);
  }
}
