package io.malob.balancer.api;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of a connection when it has lost its rules. Immutable.
 *
 * @param ended when it lost them
 * @param ageNanos how long before its first packet came
 * @param request the packets from client to VIP
 * @param atMember the same as its member sees them
 * @param requestPath null if it had none
 * @param replyPath null if it had none
 * @param end why it lost its rules
 * @param requestBytes what the rule of its requests has counted; null if its switch did not tell
 * @param replyBytes the same of its replies
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

  /** Why a connection has lost its rules. */
  public enum End {
    /** Its client ended it by FIN or RST, and then it was idle. */
    CLIENT,
    /** It was idle; it is remembered and may go on. */
    IDLE,
    /** Its VIP or member was deleted, or its path was lost. */
    CLOSED,
    /** Its switch did not accept its rule, or another connection needed its place. */
    CUT_OFF,
    /** Its switch was started afresh; it is remembered and may go on. */
    SWITCH_RESET,
    /** Its client's switch did not come back; it is remembered and may go on. */
    SWITCH_AWAY,
    /** Its client or member is attached elsewhere, without a path; it may go on. */
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
