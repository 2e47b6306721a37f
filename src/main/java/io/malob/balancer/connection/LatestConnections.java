package io.malob.balancer.connection;

import io.malob.algorithm.Attachment;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.U64;

/**
 * The connections whose rules were sent last, by the generation in the rules' cookies. A switch
 * that rejects a rule returns the cookie, but not all of the five-tuple. Thread-safe. Not a Guava
 * cache, whose lock all placements would share.
 */
public final class LatestConnections {
  /** A power of two; more connections than are programmed before a switch answers. */
  private static final int CAPACITY = 16_384;

  private final AtomicReferenceArray<@Nullable Connection> byGeneration =
      new AtomicReferenceArray<>(CAPACITY);

  void add(Connection connection) {
    byGeneration.set(connection.generation() & (CAPACITY - 1), connection);
  }

  /** Drops a connection that has no rules any more. */
  void remove(Connection connection) {
    byGeneration.compareAndSet(connection.generation() & (CAPACITY - 1), connection, null);
  }

  /**
   * The connection of a rule; null if later connections have overwritten it. As generations repeat,
   * a later connection of the same generation is not taken for it, unless it has the same VIP and
   * member, and a rule of this kind at this switch.
   *
   * @param cookie of a rule for requests or replies
   */
  public @Nullable Connection find(DatapathId switchId, U64 cookie) {
    int generation = Cookie.generation(cookie);
    @Nullable Connection connection = byGeneration.get(generation & (CAPACITY - 1));
    if (connection == null
        || connection.generation() != generation
        || connection.vipNumber() != Cookie.vipNumber(cookie)
        || connection.server().number() != Cookie.memberNumber(cookie)) {
      return null;
    }
    Attachment end =
        Cookie.is(cookie, CookieKind.REQUEST) ? connection.client() : connection.server().at();
    return end.switchId().equals(switchId) ? connection : null;
  }
}
