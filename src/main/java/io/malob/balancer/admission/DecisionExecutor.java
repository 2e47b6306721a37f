package io.malob.balancer.admission;

import io.malob.balancer.admission.Decision.Bucketed;
import io.malob.balancer.admission.Decision.Dropped;
import io.malob.balancer.admission.Decision.InTheWay;
import io.malob.balancer.admission.Decision.Known;
import io.malob.balancer.admission.Decision.New;
import io.malob.balancer.admission.Decision.Recovering;
import io.malob.balancer.admission.Decision.Refused;
import io.malob.balancer.admission.Decision.Waiting;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.PacketInCounters.Outcome;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Effects;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Vip;
import org.jspecify.annotations.Nullable;

/**
 * Executes what {@link Decider} has decided about packets. Called by the threads that read from
 * switches, several at once; never blocks.
 */
public record DecisionExecutor(
    Tables tables,
    Decider decider,
    AdmissionControl admissionControl,
    ConnectionActivator activator,
    ConnectionTeardown teardown,
    Relocations relocations,
    Refusals refusals,
    PacketInCounters packetIns) {
  /** Has a packet decided, and executes that; false if it is not the balancer's concern. */
  boolean handle(Arrival arrival, BalancerView view) {
    Packet packet = arrival.packet();
    boolean isToVip = view.catalog().isVipAddress(packet.dstAddress(), packet.vlan());
    @Nullable Connection known = decider.connectionOf(packet, isToVip);
    Decision decision =
        isToVip ? decider.toVip(arrival, known, view) : decider.notToVip(packet, known, view);
    if (decision == Decision.Unowned.INSTANCE) {
      return false;
    }
    if (known != null && decision instanceof Known use) {
      follow(known, use, arrival, view);
    } else if (decision instanceof InTheWay other) {
      makeRoom(other.connection(), arrival, view);
    } else {
      if (packet.isTcpSyn()) {
        tables.recovering().forgetExpired(packet.fiveTuple());
      }
      unknown(decision, arrival, view);
    }
    return true;
  }

  /** A packet of a known connection, whose ends may have moved. */
  private void follow(Connection connection, Known use, Arrival arrival, BalancerView view) {
    boolean isReply = use == Known.REPLY;
    boolean hasMoved = relocations.seen(connection, arrival, !isReply);
    if (hasMoved && !isReply) {
      decideAgain(arrival, view); // without a path to its new place it is dormant
      return;
    }
    switch (use) {
      case REPLY -> activator.forward(connection, arrival);
      case REQUEST -> request(connection, arrival, view);
      case CUTS_OFF -> {
        // switches follow a changed rule a moment too late: the retransmitted SYN finds its bucket
        teardown.cutOff(connection);
        packetIns.count(Outcome.KNOWN);
      }
      case SUPERSEDES -> makeRoom(connection, arrival, view);
    }
  }

  private void request(Connection connection, Arrival arrival, BalancerView view) {
    if (arrival.packet().isTcpSyn()) {
      Effects superseded = connection.reopen(arrival.nanos());
      if (superseded.happened()) {
        // a new connection on the port of one whose rules are still there: it stays with their
        // member, because switches follow a changed rule a moment too late
        admissionControl.reopened(
            connection, superseded, decider.openings().tallyOf(connection, view), view);
        activator.carry(connection, arrival); // it is counted as placed
        return;
      }
      teardown.unansweredSyns().synRetransmitted(connection, arrival.nanos());
    }
    activator.forward(connection, arrival);
  }

  /** Removes a connection without a use, unless it has been reactivated, and decides once more. */
  private void makeRoom(Connection superseded, Arrival arrival, BalancerView view) {
    boolean unusedIfInUse = teardown.makeRoom(superseded);
    decideAgain(arrival, view);
  }

  private void decideAgain(Arrival arrival, BalancerView view) {
    boolean unusedAsItIsConcerned = handle(arrival, view);
  }

  private void unknown(Decision decision, Arrival arrival, BalancerView view) {
    if (decision instanceof New opened) {
      open(opened, arrival);
    } else if (decision instanceof Recovering recovering) {
      leave(recovering, arrival, view);
    } else if (decision instanceof Refused refused) {
      refuse(refused, arrival);
    } else if (decision instanceof Waiting waiting) {
      arrived(waiting.plan().vip());
      refusals.awaitOrGiveUp(
          waiting.missing() == RejectReason.NO_MEMBER ? arrival.awaitingMembers() : arrival,
          waiting.missing(),
          waiting.plan().tally());
    } else if (decision instanceof Bucketed bucketed) {
      takeOver(bucketed, arrival);
    } else if (decision instanceof Dropped dropped) {
      refusals.drop(dropped.reason());
    }
  }

  private void leave(Recovering recovering, Arrival arrival, BalancerView view) {
    if (recovering == Recovering.LEAVE) {
      tables.recovering().replied(arrival.packet());
      packetIns.count(Outcome.EARLIER);
    } else if (recovering == Recovering.DONE) {
      decideAgain(arrival, view);
    } else if (!refusals.await(arrival)) {
      if (tables.recovering().giveUp(arrival.packet().fiveTuple())) {
        unknown(decider.first(arrival, view), arrival, view);
      } else {
        packetIns.count(Outcome.EARLIER);
      }
    }
  }

  private void refuse(Refused refused, Arrival arrival) {
    if (refused.tally() != null) {
      tables.buckets().arrived(refused.vipNumber());
    }
    if (refused.reason() == RejectReason.UNKNOWN_CONNECTION
        && arrival.packet().hasTcpFlags(Packet.TCP_RST)) {
      boolean unusedAsItIsRefusedAnyway = tables.ordinary().denied(arrival.packet().fiveTuple());
    }
    refusals.refuse(refused, arrival);
  }

  private void arrived(Vip vip) {
    if (vip.mayBeProactive()) {
      tables.buckets().arrived(vip.number());
    }
  }

  private void open(New opened, Arrival arrival) {
    if (opened instanceof New.Planned planned) {
      arrived(planned.plan().vip());
    } else if (opened instanceof New.FtpData data) {
      data.control().yieldPaths();
    }
    boolean wasSearching = opened.view().network().isSearching();
    @Nullable RejectReason reason = admissionControl.admit(opened, arrival);
    if (reason == RejectReason.NO_ROUTE && (wasSearching || refusals.mayHeal(opened.view()))) {
      refusals.awaitOrGiveUp(arrival, reason, opened.tally());
    } else if (reason != null) {
      refusals.refuse(new Refused(reason, opened.vipNumber(), opened.tally()), arrival);
    }
  }

  private void takeOver(Bucketed bucketed, Arrival arrival) {
    @Nullable RejectReason reason = admissionControl.takeOver(bucketed.connection(), arrival);
    if (reason == RejectReason.NO_ROUTE) {
      refusals.drop(reason); // by the time of a retransmission there may be one
    } else if (reason != null) {
      refusals.giveUp(arrival, reason, bucketed.connection().tally());
    }
    if (tables.buckets().hasTables(bucketed.connection().vipNumber())) {
      tables.buckets().countKnown(bucketed.member().number());
    }
  }
}
