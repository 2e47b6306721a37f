package io.malob.balancer.admission;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import io.malob.module.NanoTicker;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * TCP and UDP connections of members' addresses and ports that did not come through a VIP, as far
 * as the controller has seen packets of them; and replies that may be of such connections or of a
 * VIP's, of which their clients know. Both are bounded, and aged: what is missing is found out
 * anew. Thread-safe.
 */
public final class OrdinaryConnections {
  private static final int MAX = 1 << 16;
  private static final Duration KEPT = Duration.ofHours(1);

  private static final int MAX_ASKED = 1 << 14;

  /** A client answers at once. */
  private static final Duration ANSWERED = Duration.ofSeconds(30);

  /** By the five-tuple of what the member sends. */
  private final Cache<FiveTuple, Boolean> known;

  /** By the five-tuple of the request, if it was to the VIP. */
  private final Cache<FiveTuple, Asked> asked;

  private volatile Consumer<FiveTuple> whenNew = any -> {};

  /** A reply that its client has got from a VIP. */
  private record Asked(FiveTuple reply, int vipNumber, int memberNumber) {}

  /** No connections. */
  public OrdinaryConnections(LongSupplier nanoTime) {
    known =
        CacheBuilder.newBuilder()
            .maximumSize(MAX)
            .expireAfterAccess(KEPT)
            .ticker(new NanoTicker(nanoTime))
            .build();
    asked =
        CacheBuilder.newBuilder()
            .maximumSize(MAX_ASKED)
            .expireAfterWrite(ANSWERED)
            .ticker(new NanoTicker(nanoTime))
            .build();
  }

  /** Publishes each new connection to a listener, by the five-tuple of the member's packets. */
  public void publishNewTo(Consumer<FiveTuple> listener) {
    whenNew = listener;
  }

  /** A packet of a connection has been seen; {@code reply} is the five-tuple of the member's. */
  void seen(FiveTuple reply) {
    if (reply.srcAddress() != AddressKey.NONE
        && reply.dstAddress() != AddressKey.NONE
        && !contains(reply)) {
      known.put(reply, true);
      whenNew.accept(reply);
    }
  }

  /** Another controller has seen a packet of a connection. */
  public void learn(FiveTuple reply) {
    known.put(reply, true);
  }

  /** Whether packets of a connection have been seen. */
  public boolean contains(FiveTuple reply) {
    return known.getIfPresent(reply) != null;
  }

  /**
   * A member's packet was delivered to its client as one of a VIP: the client's answer tells
   * whether it is.
   *
   * @param request the five-tuple of the client's packets to the VIP
   */
  void ask(FiveTuple request, FiveTuple reply, int vipNumber, int memberNumber) {
    asked.put(request, new Asked(reply, vipNumber, memberNumber));
  }

  /**
   * The client has no such connection to the VIP: it is an ordinary one, or has ended. False if it
   * was not asked.
   */
  boolean denied(FiveTuple request) {
    @Nullable Asked of = asked.getIfPresent(request);
    if (of != null) {
      asked.invalidate(request);
      seen(of.reply);
    }
    return of != null;
  }

  /** The number of the member whose packet the client answers; null if there is none. */
  @Nullable Integer memberOf(FiveTuple request, int vipNumber) {
    @Nullable Asked of = asked.getIfPresent(request);
    return of == null || of.vipNumber != vipNumber ? null : of.memberNumber;
  }

  /** Passes on the keys of all addresses in use. */
  public void addressKeys(IntConsumer keys) {
    known.asMap().keySet().forEach(tuple -> addressKeys(tuple, keys));
    asked.asMap().keySet().forEach(tuple -> addressKeys(tuple, keys));
    asked.asMap().values().forEach(of -> addressKeys(of.reply, keys));
  }

  private static void addressKeys(FiveTuple tuple, IntConsumer keys) {
    keys.accept(tuple.srcAddress());
    keys.accept(tuple.dstAddress());
  }
}
