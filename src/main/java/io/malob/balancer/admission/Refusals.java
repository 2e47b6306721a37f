package io.malob.balancer.admission;

import io.malob.balancer.admission.Decision.Refused;
import io.malob.balancer.admission.PendingPackets.Entry;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.view.BalancerView;
import org.jspecify.annotations.Nullable;

/**
 * Rejects packets, or lets them wait for what is missing. Called by the threads that read from
 * switches, several at once; never blocks.
 */
public record Refusals(
    Tables tables,
    RejectSender rejectSender,
    AclDropRules aclDropRules,
    PendingPackets pendingPackets,
    SwitchOutages outages) {
  /** Counts a packet that is not answered. */
  void drop(RejectReason reason) {
    rejectSender.drop(reason);
  }

  /** Rejects a packet as decided. */
  void refuse(Refused refused, Arrival arrival) {
    RejectReason reason = refused.reason();
    PlacementCounts.@Nullable Tally tally = refused.tally();
    if (tally != null) {
      tally.refused(reason);
    }
    switch (reason) {
      case NOT_ALLOWED -> aclDropRules.deny(arrival, refused.vipNumber());
      case HALF_OPEN -> {
        tables.halfOpen().refuse(refused.vipNumber());
        drop(reason); // an answer would go to the owner of a forged address
      }
      case VIP_FULL, MEMBERS_FULL -> {
        tables.limiter().refused(refused.vipNumber());
        rejectSender.reject(arrival, reason);
      }
      default -> rejectSender.reject(arrival, reason);
    }
  }

  /** Whether a missing path may soon be available. */
  boolean mayHeal(BalancerView view) {
    return view.network().isSearching() || tables.recovering().isIncomplete() || outages.mayHeal();
  }

  /** Makes a packet pending; false if it has waited long enough, or there is no room. */
  boolean await(Arrival arrival) {
    return pendingPackets.enter(arrival) == Entry.WAITS;
  }

  /**
   * Makes a first packet pending, or rejects it: for the given reason if it has waited long enough,
   * else for lack of room.
   */
  void awaitOrGiveUp(Arrival arrival, RejectReason missing, PlacementCounts.Tally tally) {
    switch (pendingPackets.enter(arrival)) {
      case WAITS -> {}
      case WAITED_LONG_ENOUGH -> giveUp(arrival, missing, tally);
      case FULL -> giveUp(arrival, RejectReason.QUEUE_FULL, tally);
    }
  }

  /**
   * Rejects a first packet that has waited in vain. It gets no answer, so that its client
   * retransmits it, if it cannot wait because too many do, or while a path, or the switch of a
   * client or member, may be back in a moment.
   */
  void giveUp(Arrival arrival, RejectReason reason, PlacementCounts.Tally tally) {
    tally.refused(reason);
    boolean mayBeBack =
        reason == RejectReason.NO_ROUTE
            || reason == RejectReason.NO_MEMBER
            || reason == RejectReason.NO_CLIENT;
    if (reason == RejectReason.QUEUE_FULL || (mayBeBack && outages.mayHeal())) {
      drop(reason);
    } else {
      rejectSender.reject(arrival, reason);
    }
  }
}
