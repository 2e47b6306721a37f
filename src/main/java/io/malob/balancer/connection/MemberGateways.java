package io.malob.balancer.connection;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.malob.algorithm.Attachment;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The MAC addresses that members send replies to where these are not those that requests come from:
 * the virtual address of routers, or a member's own gateway. They are learned from replies, so that
 * the rules of later connections expect them. Thread-safe.
 */
public final class MemberGateways {
  /** The max number of pairs of a member and a next hop of clients. */
  static final int MAX = 100_000;

  private final Cache<Pair, MacAddress> learned =
      CacheBuilder.newBuilder().maximumSize(MAX).build();

  /** Whether none is learned, which spares connections a look-up. */
  private volatile boolean isEmpty = true;

  private record Pair(int memberNumber, Attachment requestsFrom) {}

  /**
   * The MAC address that a member is expected to send replies to.
   *
   * @param requestsFrom the next hop that requests come from
   */
  public MacAddress of(int memberNumber, Attachment requestsFrom) {
    @Nullable MacAddress known =
        isEmpty ? null : learned.getIfPresent(new Pair(memberNumber, requestsFrom));
    return known == null ? requestsFrom.mac() : known;
  }

  /** Learns the MAC address that a member has sent a reply to. */
  public void learn(int memberNumber, Attachment requestsFrom, MacAddress mac) {
    learned.put(new Pair(memberNumber, requestsFrom), mac);
    isEmpty = false;
  }
}
