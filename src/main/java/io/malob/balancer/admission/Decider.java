package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.Decision.Admissible;
import io.malob.balancer.admission.Decision.Bucketed;
import io.malob.balancer.admission.Decision.Dropped;
import io.malob.balancer.admission.Decision.InTheWay;
import io.malob.balancer.admission.Decision.Known;
import io.malob.balancer.admission.Decision.New;
import io.malob.balancer.admission.Decision.Recovering;
import io.malob.balancer.admission.Decision.Refused;
import io.malob.balancer.admission.Decision.Unowned;
import io.malob.balancer.admission.Decision.Waiting;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a packet, from a view and the tables of connections. It changes nothing,
 * so packets and explanations share it. Called by the threads that read from switches, several at
 * once; never blocks.
 */
public record Decider(
    Tables tables, Clients clients, OpeningDecider openings, LongSupplier nanoTime) {
  /** The first member to answer ARP must not get all the packets that wait for members. */
  private static final long OTHERS_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** For how long a SYN counts as the retransmitted one of a connection without other packets. */
  private static final long RETRANSMITTED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The connection of an IP packet, to a VIP or not; null if it is not known. */
  @Nullable Connection connectionOf(Packet packet, boolean isToVip) {
    if (isToVip) {
      return tables.connections().byRequest(packet.fiveTuple());
    }
    @Nullable Connection replying =
        packet.mayBeReply() ? tables.connections().byReply(packet.fiveTuple()) : null;
    // in another VLAN, its sender is not the member
    return replying != null && replying.server().at().vlan() == packet.vlan() ? replying : null;
  }

  /**
   * Decides about an IP packet that is not to a VIP.
   *
   * @param known its connection, as {@link #connectionOf} finds it
   */
  Decision notToVip(Packet packet, @Nullable Connection known, BalancerView view) {
    @Nullable Connection control = tables.ftpSessions().controlOf(packet);
    @Nullable Decision data = control == null ? null : openedByMember(control, packet, known, view);
    return data == null ? reply(packet, known) : data;
  }

  /** Whether a connection has these packets as its requests or replies. */
  boolean isKnown(FiveTuple tuple) {
    return tables.connections().byRequest(tuple) != null
        || tables.connections().byReply(tuple) != null;
  }

  private Decision reply(Packet packet, @Nullable Connection known) {
    if (known == null) {
      return packet.mayBeReply() && tables.recovering().hasReply(packet.fiveTuple())
          ? Recovering.LEAVE
          : Unowned.INSTANCE;
    }
    return isLostFragment(packet, known) ? Dropped.of(RejectReason.FRAGMENT) : Known.REPLY;
  }

  /**
   * Decides about an IP packet to a VIP.
   *
   * @param known its connection, as {@link #connectionOf} finds it
   */
  Decision toVip(Arrival arrival, @Nullable Connection known, BalancerView view) {
    Packet packet = arrival.packet();
    if (packet.isDoubleTagged()) {
      return Dropped.of(RejectReason.DOUBLE_TAGGED);
    }
    if (known != null && isOutOfDate(known, arrival)) {
      return new InTheWay(known);
    }
    if (packet.hasRoutingHeader()) {
      return Dropped.of(RejectReason.ROUTING_HEADER);
    }
    if (isLostFragment(packet, known)) {
      return Dropped.of(RejectReason.FRAGMENT);
    }
    @Nullable Protocol protocol = balanced(packet);
    if (protocol == null) {
      return Dropped.of(RejectReason.NOT_BALANCED);
    }
    if (packet.isIpv6() && packet.srcAddress() == AddressKey.NONE) {
      return Dropped.of(RejectReason.ADDRESSES_FULL);
    }
    return known == null ? unknown(arrival, protocol, view) : useOf(known, arrival, protocol, view);
  }

  /**
   * Whether a bucket has led packets of a connection's five-tuple since its rules expired: by now,
   * they may be those of a later connection, with another member.
   */
  private boolean isOutOfDate(Connection known, Arrival arrival) {
    if (tables.buckets().isEmpty()) {
      return false;
    }
    OptionalLong until =
        tables
            .buckets()
            .ledUntil(known.vipNumber(), arrival.switchId(), arrival.packet().fiveTuple());
    return until.isPresent() && known.wasDormantAt(until.getAsLong());
  }

  /**
   * Whether a packet is a fragment that cannot be forwarded. Fragments of ICMP can be: ICMP has no
   * ports, so each fragment identifies its connection once the first one has opened it.
   */
  private static boolean isLostFragment(Packet packet, @Nullable Connection known) {
    return packet.isFragment()
        && (packet.protocol() != Protocol.ICMP.ipNumber()
            || (packet.kind() != Packet.Kind.ICMP && known == null));
  }

  private static @Nullable Protocol balanced(Packet packet) {
    if (packet.isFragment()) {
      return Protocol.ICMP;
    }
    return switch (packet.kind()) {
      case TCP -> Protocol.TCP;
      case UDP -> Protocol.UDP;
      case ICMP -> packet.isEchoRequest() ? Protocol.ICMP : null;
      default -> null;
    };
  }

  private Known useOf(Connection known, Arrival arrival, Protocol protocol, BalancerView view) {
    if (isPinnedElsewhere(known, arrival, view)) {
      return Known.CUTS_OFF;
    }
    return startsAnew(known, arrival.packet(), protocol, view) ? Known.SUPERSEDES : Known.REQUEST;
  }

  /**
   * Whether a SYN opens a new connection on the port of one whose rules lead to another member than
   * its bucket, and that member takes no new connections.
   */
  private boolean isPinnedElsewhere(Connection known, Arrival arrival, BalancerView view) {
    boolean hasBegun =
        known.state() != Connection.State.OPENING
            || known.isProgrammedBefore(arrival.nanos() - RETRANSMITTED_NANOS);
    return arrival.packet().isTcpSyn()
        && hasBegun
        && known.state().hasRules()
        && tables
            .buckets()
            .isExposed(
                known.vipNumber(), arrival.switchId(), known.request(), known.server().number())
        && !view.takesNew(known.server());
  }

  /**
   * Whether a packet opens a new connection on the five-tuple of a finished one. Only TCP marks the
   * first packet. With other protocols, a packet for a member that takes no new connections opens a
   * new one after any pause.
   */
  private boolean startsAnew(
      Connection known, Packet packet, Protocol protocol, BalancerView view) {
    boolean isSyn = packet.isTcpSyn();
    if (!isOutOfUse(known) || !(isSyn || packet.protocol() != Protocol.TCP.ipNumber())) {
      return false;
    }
    return (isSyn && known.state() == Connection.State.DORMANT)
        || !view.takesNew(known.server())
        || !vipHasRoom(packet, protocol, view);
  }

  /** Whether a connection has ended or is dormant, so that it can make room for another. */
  private static boolean isOutOfUse(Connection connection) {
    return connection.state() == Connection.State.ENDED
        || connection.state() == Connection.State.DORMANT;
  }

  private boolean vipHasRoom(Packet packet, Protocol protocol, BalancerView view) {
    @Nullable Vip vip = vipOf(packet, protocol, view);
    return vip != null && !tables.limiter().isFull(vip.number(), vip.limit());
  }

  private static @Nullable Vip vipOf(Packet packet, Protocol protocol, BalancerView view) {
    return view.catalog()
        .vipFor(packet.dstAddress(), protocol, portOf(packet, protocol))
        .orElse(null);
  }

  private static int portOf(Packet packet, Protocol protocol) {
    return protocol == Protocol.ICMP
        ? EchoFrames.requestTypeTo(packet.dstAddress())
        : packet.dstPort();
  }

  private Decision unknown(Arrival arrival, Protocol protocol, BalancerView view) {
    Packet packet = arrival.packet();
    @Nullable Vip vip = vipOf(packet, protocol, view);
    @Nullable Recovering recovering =
        tables.recovering().judge(arrival, vip != null && vip.mayBeProactive());
    if (recovering != null) {
      return recovering;
    }
    if (tables.connections().byRequest(packet.fiveTuple()) != null) {
      return Recovering.DONE;
    }
    return packet.kind() == Packet.Kind.TCP && !packet.isTcpSyn()
        ? established(arrival, vip, view)
        : first(arrival, view);
  }

  /**
   * A packet from the middle of an unknown connection of TCP: a bucket of a proactive VIP may have
   * led it to its member so far, or it answers the packet of a member. A client that the VIP does
   * not allow does not even get a reset.
   */
  private Decision established(Arrival arrival, @Nullable Vip vip, BalancerView view) {
    FiveTuple request = arrival.packet().fiveTuple();
    boolean isDenied = vip != null && !vip.allows(request.srcAddress());
    @Nullable Server member =
        vip == null || isDenied ? null : answered(arrival.packet(), vip, view);
    if (vip != null && member == null && !isDenied) {
      member = memberByBucket(vip, arrival, true);
    }
    if (vip != null
        && member == null
        && tables.buckets().awaitsMember(vip.number(), arrival.switchId(), request)) {
      return Dropped.of(RejectReason.NO_MEMBER); // it is retransmitted
    }
    @Nullable ServicePlan plan =
        vip == null || member == null ? null : view.plan(vip, Protocol.TCP, request.dstPort());
    if (plan != null && member != null) {
      @Nullable Attachment client = locate(arrival);
      if (client == null) {
        // it may have been plugged in here just now
        return new Waiting(RejectReason.NO_CLIENT, plan);
      }
      return new Bucketed(
          new New.Planned(
              request, client, new MemberChoice.ByBucket(member, plan, view), plan, view),
          member);
    }
    return vip != null && isDenied
        ? new Refused(RejectReason.NOT_ALLOWED, vip.number(), null)
        : Refused.of(RejectReason.UNKNOWN_CONNECTION);
  }

  /** The member whose packet, of a connection that is not known, a client answers; or null. */
  private @Nullable Server answered(Packet packet, Vip vip, BalancerView view) {
    @Nullable Integer number =
        packet.hasTcpFlags(Packet.TCP_RST)
            ? null
            : tables.ordinary().memberOf(packet.fiveTuple(), vip.number());
    return number == null ? null : view.servers().get(number);
  }

  private @Nullable Attachment locate(Arrival arrival) {
    return clients.locate(arrival.switchId(), arrival.inPort(), arrival.packet()).orElse(null);
  }

  /**
   * The member that the bucket of a packet leads to, or led to while the VIP was proactive; null if
   * there is none. A member that is itself a client must not reach itself.
   *
   * <p>A router that has taken over may send packets of established connections to an edge without
   * buckets.
   *
   * @param isEstablished whether the packet is from the middle of a connection
   */
  private @Nullable Server memberByBucket(Vip vip, Arrival arrival, boolean isEstablished) {
    Packet packet = arrival.packet();
    FiveTuple request = packet.fiveTuple();
    Buckets buckets = tables.buckets();
    @Nullable Server atEdge =
        buckets.memberOf(vip.number(), arrival.switchId(), request, packet.isTcpSyn());
    @Nullable Server member =
        atEdge == null && isEstablished
            ? buckets.memberElsewhere(vip.number(), arrival.switchId(), request)
            : atEdge;
    return member == null || member.address() == packet.srcAddress() ? null : member;
  }

  /** Whether the algorithm is to choose the member of a connection that the switch tracks. */
  private boolean isChosenHere(Vip vip, Arrival arrival) {
    @Nullable BucketTable table =
        arrival.isOpening() ? tables.buckets().find(vip.number(), arrival.switchId()) : null;
    return table != null && table.isExact();
  }

  /** Decides about the first packet of a connection, which is not known. */
  Decision first(Arrival arrival, BalancerView view) {
    Packet packet = arrival.packet();
    Protocol protocol = Objects.requireNonNull(balanced(packet));
    Decision classified =
        openings.classify(
            packet.dstAddress(),
            protocol,
            portOf(packet, protocol),
            packet.srcAddress(),
            true,
            view);
    if (!(classified instanceof Admissible admissible)) {
      return classified;
    }
    ServicePlan plan = admissible.plan();
    @Nullable Attachment client = locate(arrival);
    if (client == null) {
      return new Waiting(RejectReason.NO_CLIENT, plan);
    }
    @Nullable Connection control = admissible.control();
    if (control != null) {
      return openings.data(control, packet.fiveTuple(), client, view);
    }
    if (OpeningDecider.awaitsMembers(plan, othersMayAnswer(arrival))) {
      return new Waiting(RejectReason.NO_MEMBER, plan);
    }
    @Nullable Server byBucket =
        isChosenHere(plan.vip(), arrival) ? null : memberByBucket(plan.vip(), arrival, false);
    return openings.place(
        plan,
        packet.fiveTuple(),
        client,
        byBucket == null && protocol == Protocol.UDP
            ? answered(packet, plan.vip(), view)
            : byBucket,
        view);
  }

  /** Whether a packet waits for members whose first has just been found. */
  private boolean othersMayAnswer(Arrival arrival) {
    return arrival.awaitsMembers() && nanoTime.getAsLong() - arrival.nanos() < OTHERS_ANSWER_NANOS;
  }

  /**
   * Decides about a packet by which a member opens a data connection of FTP; null if it does not,
   * as it is a retransmitted SYN.
   *
   * @param same the connection with the packet's five-tuple; null if there is none
   */
  private @Nullable Decision openedByMember(
      Connection control, Packet packet, @Nullable Connection same, BalancerView view) {
    FiveTuple request =
        FiveTuple.of(
            packet.protocol(),
            packet.dstAddress(),
            packet.dstPort(),
            control.request().dstAddress(),
            FtpSessions.DATA_PORT);
    if (same != null) {
      return isOutOfUse(same) ? new InTheWay(same) : null;
    }
    @Nullable Connection other = tables.connections().byRequest(request);
    if (other != null) {
      return isOutOfUse(other) ? new InTheWay(other) : Refused.of(RejectReason.NO_DISTINCT_MEMBER);
    }
    return openings.data(control, request, control.client(), view);
  }
}
