package io.malob.balancer.api;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The record of a connection that has lost its rules. Immutable.
 *
 * @param ended the time when it lost its rules
 * @param ageNanos the time from its first packet to {@code ended}
 * @param request the packets from client to VIP
 * @param atMember the same packets as its member receives them
 * @param requestPath null if it had none
 * @param replyPath null if it had none
 * @param end the reason why it lost its rules
 * @param requestBytes the byte counter of its request rule; null if its switch did not report it
 * @param replyBytes the same for its reply rule
 */
public record ConnectionRecord(
    Instant ended,
    long ageNanos,
    FiveTuple request,
    FiveTuple atMember,
    int vipNumber,
    int memberNumber,
    String algorithm,
    @Nullable Path requestPath,
    @Nullable Path replyPath,
    End end,
    @Nullable Long requestBytes,
    @Nullable Long replyBytes) {

  /** The reason why a connection has lost its rules. */
  public enum End {
    /** Its client ended it by FIN or RST, and its rules then expired. */
    CLIENT,
    /** It was idle. It is dormant and can be reactivated. */
    IDLE,
    /** Its VIP or member was deleted, or its path was lost. */
    CLOSED,
    /** Its switch rejected its rule, or another connection replaced it. */
    CUT_OFF,
    /** Its switch lost its rules in a reset. It is dormant and can be reactivated. */
    SWITCH_RESET,
    /** Its client's switch did not return. It is dormant and can be reactivated. */
    SWITCH_AWAY,
    /** It needed another path, and there was none. It is dormant and can be reactivated. */
    MOVED;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public ConnectionRecord with(@Nullable Long ofRequests, @Nullable Long ofReplies) {
    return new ConnectionRecord(
        ended,
        ageNanos,
        request,
        atMember,
        vipNumber,
        memberNumber,
        algorithm,
        requestPath,
        replyPath,
        end,
        ofRequests == null ? requestBytes : ofRequests,
        ofReplies == null ? replyBytes : ofReplies);
  }
}
