package io.malob.balancer.admission;

import io.malob.algorithm.Server;
import io.malob.balancer.admission.Decision.New;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.BucketTable.Tracking;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.OpeningRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections that their client's edge tracks: it gets the first packet back with the member,
 * and remembers that. There are no rules and no records of them. Called by the threads that read
 * from switches, several at once; never blocks.
 *
 * @param chosen the members of the latest ones
 */
public record TrackedOpenings(Tables tables, RuleSender ruleSender, ChosenMembers chosen) {
  /** How the client's edge tracks the connection of a packet; null if it does not. */
  @Nullable Tracking trackingOf(New opened, Arrival first) {
    @Nullable BucketTable table =
        first.isOpening() ? tables.buckets().find(opened.vipNumber(), first.switchId()) : null;
    return table == null || !table.isInForce() ? null : table.tracking();
  }

  /**
   * Sends a packet on whose connection has been opened a moment ago; false if it has not. The
   * switch tracks it only after the first packet has returned.
   */
  boolean repeat(New opened, Arrival next, Tracking tracking) {
    @Nullable Integer number = chosen.find(opened.request(), next);
    @Nullable Server member = number == null ? null : opened.view().servers().get(number);
    if (member != null) {
      commit(member, next, tracking);
    }
    return member != null;
  }

  /** Opens a connection to a member. */
  void open(New opened, Server member, Arrival first, Tracking tracking) {
    chosen.remember(opened.request(), first, member.number());
    tables.limiter().commit(opened.vipNumber(), member, opened.view());
    opened.tally().placed();
    commit(member, first, tracking);
  }

  private void commit(Server member, Arrival packet, Tracking tracking) {
    int replyPath =
        tables
            .buckets()
            .replyOrdinals()
            .next(tracking.traffic().vipNumber(), packet.switchId(), member);
    boolean unusedAsItIsSentAgain =
        ruleSender.send(
            packet.switchId(),
            factory ->
                List.of(
                    OpeningRule.open(
                        factory,
                        tracking.traffic(),
                        member,
                        replyPath,
                        packet.inPort(),
                        packet.packet().frame())));
  }
}
