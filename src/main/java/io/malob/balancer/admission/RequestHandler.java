package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.AdmissionControl.Terms;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.bucket.ProactiveClients;
import io.malob.balancer.bucket.TranslatedReply;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Effects;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.health.UnansweredSynDetector;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Finds or places the connection that a packet belongs to. Called by the threads that read from
 * switches, several at once; never blocks.
 */
public final class RequestHandler {
  /** The first member to answer ARP must not get all the packets that wait for members. */
  private static final long OTHERS_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** For how long a SYN counts as the retransmitted one of a connection without other packets. */
  private static final long RETRANSMITTED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionLimiter connectionLimiter;
  private final AffinityTable affinity;
  private final ConnectionProgrammer programmer;
  private final ConnectionActivator activator;
  private final Relocations relocations;
  private final Classifier classifier;
  private final AdmissionControl admissionControl;
  private final FtpData ftpData;
  private final ErrorRelay errorRelay;
  private final RejectSender rejectSender;
  private final AclDropRules aclDropRules;
  private final PendingPackets pendingPackets;
  private final Clients clients;
  private final RecoveredConnections earlier;
  private final PlacementCounts placements;
  private final UnansweredSynDetector unansweredSyns;
  private final Buckets buckets;
  private final ProactiveClients proactiveClients;
  private final UnknownClients unknownClients;
  private final PacketInCounters packetIns;
  private final LongSupplier nanoTime;

  /** Finds out where a client is attached. */
  interface Clients {
    /** Where the sender of a packet is attached, as seen at that port; empty if not known. */
    Optional<Attachment> locate(DatapathId switchId, OFPort inPort, Packet packet);

    /** Where the host with an address was last seen. */
    Optional<Attachment> find(IPAddress<?> address);
  }

  /** Is told of clients of a proactive VIP whose location is not known. */
  public interface UnknownClients {
    /** A member has replied to such a client; the reply is dropped. */
    void replied(Packet reply);
  }

  public RequestHandler(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionLimiter connectionLimiter,
      AffinityTable affinity,
      ConnectionProgrammer programmer,
      ConnectionActivator activator,
      Relocations relocations,
      Classifier classifier,
      AdmissionControl admissionControl,
      FtpData ftpData,
      ErrorRelay errorRelay,
      RejectSender rejectSender,
      AclDropRules aclDropRules,
      PendingPackets pendingPackets,
      Clients clients,
      RecoveredConnections earlier,
      PlacementCounts placements,
      UnansweredSynDetector unansweredSyns,
      Buckets buckets,
      ProactiveClients proactiveClients,
      UnknownClients unknownClients,
      PacketInCounters packetIns,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.connectionLimiter = connectionLimiter;
    this.affinity = affinity;
    this.programmer = programmer;
    this.activator = activator;
    this.relocations = relocations;
    this.classifier = classifier;
    this.admissionControl = admissionControl;
    this.ftpData = ftpData;
    this.errorRelay = errorRelay;
    this.rejectSender = rejectSender;
    this.aclDropRules = aclDropRules;
    this.pendingPackets = pendingPackets;
    this.clients = clients;
    this.earlier = earlier;
    this.placements = placements;
    this.unansweredSyns = unansweredSyns;
    this.buckets = buckets;
    this.proactiveClients = proactiveClients;
    this.unknownClients = unknownClients;
    this.packetIns = packetIns;
    this.nanoTime = nanoTime;
  }

  /** Handles an IP packet; false if it is none of the balancer's business. */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    return handle(new Arrival(switchId, inPort, packet, nanoTime.getAsLong()));
  }

  private boolean handle(Arrival arrival) {
    Packet packet = arrival.packet();
    if (Label.isLabel(packet.dstMac())) {
      lostInTransit(arrival);
      return true;
    }
    if (errorRelay.pass(packet)) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
      return true;
    }
    if (views.get().catalog().isVipAddress(packet.dstAddress())) {
      request(arrival);
      return true;
    }
    if (ftpData.openedByMember(arrival)) {
      return true;
    }
    if (!packet.mayBeReply()) {
      return false;
    }
    @Nullable Connection connection = connections.byReply(packet.fiveTuple());
    if (connection == null) {
      boolean isEarlier = earlier.hasReply(packet.fiveTuple());
      if (isEarlier) {
        packetIns.count(PacketInCounters.Outcome.EARLIER);
      }
      return isEarlier;
    }
    if (isLostFragment(packet, connection)) {
      rejectSender.drop(RejectReason.FRAGMENT);
    } else {
      relocations.seen(connection, arrival, false);
      activator.forward(connection, arrival);
    }
    return true;
  }

  /**
   * Handles a packet that comes by the rule of a connection that was closed: resets its sender,
   * unless the same ends have a new connection.
   */
  public boolean handleAfterClosing(DatapathId switchId, OFPort inPort, Packet packet) {
    FiveTuple tuple = packet.fiveTuple();
    if (packet.isTcpSyn()
        || connections.byRequest(tuple) != null
        || connections.byReply(tuple) != null) {
      return handle(switchId, inPort, packet);
    }
    if (!buckets.isEmpty() && isLedByBucket(packet)) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
      programmer.resumeReplies(switchId, inPort, packet);
      return true;
    }
    rejectSender.reject(
        new Arrival(switchId, inPort, packet, nanoTime.getAsLong()),
        RejectReason.UNKNOWN_CONNECTION);
    return true;
  }

  /** Whether a bucket leads the client of a reply to the member that has sent it. */
  private boolean isLedByBucket(Packet reply) {
    CatalogSnapshot catalog = views.get().catalog();
    Optional<Attachment> client = clients.find(reply.destination());
    return client.isPresent()
        && catalog.membersAt(reply.srcAddress()).stream()
            .anyMatch(member -> isLedByBucket(reply, member, catalog, client.get().switchId()));
  }

  private boolean isLedByBucket(
      Packet reply, Member member, CatalogSnapshot catalog, DatapathId clientSwitch) {
    @Nullable Vip vip = catalog.vipOf(member).orElse(null);
    @Nullable Integer port = vip == null ? null : vip.port();
    if (vip == null || port == null || !Objects.equals(vip.portAt(member), reply.srcPort())) {
      return false;
    }
    FiveTuple request =
        FiveTuple.of(
            reply.protocol(),
            reply.dstAddress(),
            reply.dstPort(),
            AddressKey.of(vip.address()),
            port);
    @Nullable Server led = buckets.memberOf(vip.number(), clientSwitch, request, false);
    return led != null && led.number() == member.number();
  }

  /** Handles a packet that was translated, and found no rule for its host. */
  public void handleLost(DatapathId switchId, OFPort inPort, Packet packet) {
    lostInTransit(new Arrival(switchId, inPort, packet, nanoTime.getAsLong()));
  }

  /** Counts a packet for a VIP that cannot be read. */
  public void handleMalformed() {
    rejectSender.drop(RejectReason.NOT_BALANCED);
  }

  /** Retries all packets that are pending until a host is located or a switch's rules are read. */
  public void retryPending() {
    pendingPackets.leave().forEach(this::handle);
  }

  private void request(Arrival arrival) {
    Packet packet = arrival.packet();
    @Nullable Connection known = current(connections.byRequest(packet.fiveTuple()), arrival);
    if (packet.hasRoutingHeader()) {
      rejectSender.drop(RejectReason.ROUTING_HEADER);
      return;
    }
    if (isLostFragment(packet, known)) {
      rejectSender.drop(RejectReason.FRAGMENT);
      return;
    }
    @Nullable Protocol protocol = balanced(packet);
    if (protocol == null) {
      rejectSender.drop(RejectReason.NOT_BALANCED);
      return;
    }
    if (packet.isIpv6() && packet.srcAddress() == AddressKey.NONE) {
      rejectSender.drop(RejectReason.ADDRESSES_FULL);
      return;
    }
    if (known != null) {
      relocations.seen(known, arrival, true);
    }
    if (known != null && isPinnedElsewhere(known, arrival)) {
      // switches follow a changed rule a moment too late: the retransmitted SYN finds its bucket
      admissionControl.forgetReplaced(known);
      packetIns.count(PacketInCounters.Outcome.KNOWN);
      return;
    }
    if (known != null && !startsAnew(known, packet, protocol)) {
      Effects earlier = packet.isTcpSyn() ? known.reopen(arrival.nanos()) : Effects.NONE;
      if (earlier.happened()) {
        // a new connection on the port of one whose rules are still there: it stays with their
        // member, because switches follow a changed rule a moment too late
        admissionControl.reopened(known, earlier, tallyOf(known, protocol), views.get());
        activator.reopen(known, arrival);
        return;
      }
      if (packet.isTcpSyn()) {
        unansweredSyns.synRetransmitted(known, arrival.nanos());
      }
      activator.forward(known, arrival);
    } else {
      unknown(arrival, protocol);
    }
  }

  /**
   * A known connection, unless a bucket has led packets of its five-tuple since its rules expired:
   * by now, they may be those of a later connection, with another member. Then it is forgotten.
   */
  private @Nullable Connection current(@Nullable Connection known, Arrival arrival) {
    if (known == null || buckets.isEmpty()) {
      return known;
    }
    OptionalLong until =
        buckets.ledUntil(known.vipNumber(), arrival.switchId(), arrival.packet().fiveTuple());
    boolean isOutOfDate =
        until.isPresent()
            && known.wasDormantAt(until.getAsLong())
            && connections.forget(known).happened();
    return isOutOfDate ? null : known;
  }

  /**
   * Whether a SYN opens a new connection on the port of one whose rules lead to another member than
   * its bucket, and that member takes no new connections.
   */
  private boolean isPinnedElsewhere(Connection known, Arrival arrival) {
    boolean hasBegun =
        known.state() != Connection.State.OPENING
            || known.isProgrammedBefore(arrival.nanos() - RETRANSMITTED_NANOS);
    return arrival.packet().isTcpSyn()
        && hasBegun
        && known.state().hasRules()
        && buckets.isExposed(
            known.vipNumber(), arrival.switchId(), known.request(), known.server().number())
        && !views.get().takesNew(known.server());
  }

  /** What connections like a known one are counted by. */
  private PlacementCounts.Tally tallyOf(Connection known, Protocol protocol) {
    BalancerView view = views.get();
    FiveTuple request = known.request();
    Classifier.Verdict verdict =
        classifier.classify(
            new Classifier.Wanted(
                request.dstAddress(), protocol, request.dstPort(), request.srcAddress(), true),
            view);
    boolean isData =
        verdict instanceof Classifier.Admissible admissible && admissible.control() != null;
    int port = isData ? FtpSessions.CONTROL_PORT : request.dstPort();
    return placements.of(view.catalog().serviceFor(protocol, port), known.algorithm());
  }

  /**
   * Whether a packet opens a new connection on the five-tuple of a finished one, which is then
   * removed. Only TCP marks the first packet. With other protocols, a packet for a member that
   * takes no new connections opens a new one after any pause.
   */
  private boolean startsAnew(Connection known, Packet packet, Protocol protocol) {
    boolean isSyn = packet.isTcpSyn();
    boolean mayHaveBegun = isSyn || packet.protocol() != Protocol.TCP.ipNumber();
    if (!mayHaveBegun || known.state().counts()) {
      return false;
    }
    boolean mayStay = views.get().takesNew(known.server()) && vipHasRoom(packet, protocol);
    if (known.hasEnded() && !mayStay) {
      return admissionControl.forgetEnded(known);
    }
    return (isSyn || !mayStay) && connections.forget(known).happened();
  }

  private boolean vipHasRoom(Packet packet, Protocol protocol) {
    return vipOf(packet, protocol)
        .filter(vip -> !connectionLimiter.isFull(vip.number(), vip.limit()))
        .isPresent();
  }

  private Optional<Vip> vipOf(Packet packet, Protocol protocol) {
    return views.get().catalog().vipFor(packet.dstAddress(), protocol, portOf(packet, protocol));
  }

  private static int portOf(Packet packet, Protocol protocol) {
    return protocol == Protocol.ICMP
        ? EchoFrames.requestTypeTo(packet.dstAddress())
        : packet.dstPort();
  }

  private void unknown(Arrival arrival, Protocol protocol) {
    Packet packet = arrival.packet();
    boolean mayBeProactive = vipOf(packet, protocol).filter(Vip::mayBeProactive).isPresent();
    switch (earlier.judge(arrival, mayBeProactive)) {
      case LEAVE -> packetIns.count(PacketInCounters.Outcome.EARLIER);
      case WAIT -> {
        boolean stays = pendingPackets.enter(arrival) == PendingPackets.Entry.WAITS;
        if (!stays && earlier.giveUp(packet.fiveTuple())) {
          start(arrival, protocol);
        } else if (!stays) {
          packetIns.count(PacketInCounters.Outcome.EARLIER);
        }
      }
      case NEW -> {
        @Nullable Connection recovered = connections.byRequest(packet.fiveTuple());
        if (recovered != null) {
          activator.forward(recovered, arrival); // recovered meanwhile
        } else if (packet.kind() == Packet.Kind.TCP && !packet.isTcpSyn()) {
          established(arrival, protocol);
        } else {
          start(arrival, protocol);
        }
      }
    }
  }

  /**
   * Handles a packet from the middle of an unknown connection: a bucket of a proactive VIP may have
   * led it to its member so far.
   */
  private void established(Arrival arrival, Protocol protocol) {
    FiveTuple request = arrival.packet().fiveTuple();
    @Nullable Vip vip = vipOf(arrival.packet(), protocol).orElse(null);
    @Nullable Server member =
        vip == null || !vip.allows(request.srcAddress()) ? null : memberByBucket(vip, arrival);
    if (vip != null
        && member == null
        && buckets.awaitsMember(vip.number(), arrival.switchId(), request)) {
      rejectSender.drop(RejectReason.NO_MEMBER); // it is retransmitted
    } else if (vip == null || member == null || !adopt(arrival, protocol, vip, member)) {
      rejectUnknown(arrival, protocol);
    }
  }

  /**
   * The member that the bucket of a packet leads to, or led to while the VIP was proactive; null if
   * there is none. A member that is itself a client must not reach itself.
   */
  private @Nullable Server memberByBucket(Vip vip, Arrival arrival) {
    Packet packet = arrival.packet();
    @Nullable Server member =
        buckets.memberOf(vip.number(), arrival.switchId(), packet.fiveTuple(), packet.isTcpSyn());
    return member == null || member.address() == packet.srcAddress() ? null : member;
  }

  private boolean adopt(Arrival arrival, Protocol protocol, Vip vip, Server member) {
    BalancerView view = views.get();
    FiveTuple request = arrival.packet().fiveTuple();
    @Nullable ServicePlan plan = view.plan(vip, protocol, request.dstPort());
    @Nullable Attachment client =
        clients.locate(arrival.switchId(), arrival.inPort(), arrival.packet()).orElse(null);
    if (plan == null || client == null) {
      return false;
    }
    admissionControl.adopt(
        request, arrival, Terms.of(plan, onMember(plan, member, view), client, view));
    buckets.adopted(member.number());
    return true;
  }

  private static AdmissionControl.Choice onMember(
      ServicePlan plan, Server member, BalancerView view) {
    return request -> {
      @Nullable Server now = view.servers().get(member.number());
      return now == null
          ? Placer.Refusal.NO_SERVER
          : plan.placer().placeOn(now, request, view.network());
    };
  }

  /** Whether {@link #replyToClient} is to handle a packet. */
  public boolean isTranslatedReply(OFPacketIn packetIn, Packet packet) {
    return TranslatedReply.is(packetIn, packet, views.get().catalog());
  }

  /** Delivers a member's reply to a client of a proactive VIP that no rule leads to. */
  public void replyToClient(Packet packet) {
    Optional<Attachment> client = clients.find(packet.destination());
    if (client.isEmpty()) {
      rejectSender.drop(RejectReason.NO_CLIENT);
      unknownClients.replied(packet);
      return;
    }
    packetIns.count(PacketInCounters.Outcome.KNOWN);
    proactiveClients.learn(
        AddressKey.of(packet.source()), AddressKey.of(packet.destination()), client.get());
    programmer.deliverTranslated(packet, client.get());
  }

  /** A client that the VIP does not allow does not even get a reset. */
  private void rejectUnknown(Arrival arrival, Protocol protocol) {
    Packet packet = arrival.packet();
    Optional<Vip> vip = vipOf(packet, protocol);
    if (vip.isPresent() && !vip.get().allows(packet.srcAddress())) {
      aclDropRules.deny(arrival, vip.get());
    } else {
      rejectSender.reject(arrival, RejectReason.UNKNOWN_CONNECTION);
    }
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

  /** Places the connection that a first packet begins, or says why not. */
  private void start(Arrival arrival, Protocol protocol) {
    Packet packet = arrival.packet();
    BalancerView view = views.get();
    Classifier.Verdict verdict =
        classifier.classify(
            new Classifier.Wanted(
                packet.dstAddress(), protocol, portOf(packet, protocol), packet.srcAddress(), true),
            view);
    if (verdict instanceof Classifier.Rejected rejected) {
      reject(arrival, rejected);
    } else if (verdict instanceof Classifier.Admissible admissible) {
      start(arrival, admissible, view);
    }
  }

  private void reject(Arrival arrival, Classifier.Rejected rejected) {
    @Nullable Vip vip = rejected.vip();
    if (rejected.reason() == RejectReason.NOT_ALLOWED && vip != null) {
      aclDropRules.deny(arrival, vip);
    } else {
      rejectSender.reject(arrival, rejected.reason());
    }
  }

  private void start(Arrival arrival, Classifier.Admissible admissible, BalancerView view) {
    Packet packet = arrival.packet();
    ServicePlan plan = admissible.plan();
    Optional<Attachment> client = clients.locate(arrival.switchId(), arrival.inPort(), packet);
    @Nullable Connection control = admissible.control();
    if (plan.vip().mayBeProactive()) {
      buckets.arrived(plan.vip().number());
    }
    if (client.isEmpty()) {
      pendingPackets.enterOr(
          arrival,
          RejectReason.NO_CLIENT,
          (waited, reason) -> admissionControl.giveUp(waited, reason, plan.tally()));
    } else if (control != null) {
      ftpData.openedByClient(control, arrival, client.get());
    } else if (awaitsMembers(arrival, plan)) {
      pendingPackets.enterOr(
          arrival.awaitingMembers(),
          RejectReason.NO_MEMBER,
          (waited, reason) -> admissionControl.giveUp(waited, reason, plan.tally()));
    } else {
      admissionControl.admit(
          packet.fiveTuple(),
          arrival,
          Terms.of(plan, choice(plan, arrival, view), client.get(), view));
    }
  }

  private AdmissionControl.Choice choice(ServicePlan plan, Arrival arrival, BalancerView view) {
    Packet packet = arrival.packet();
    @Nullable Server member = memberByBucket(plan.vip(), arrival);
    if (member != null) {
      AdmissionControl.Choice ofBucket = onMember(plan, member, view);
      // a client that is a member itself cannot be its own server
      return request ->
          request.acceptable().test(member)
              ? ofBucket.choose(request)
              : plan.placer().place(request, view.network());
    }
    return plan.pool().persistence() == null
        ? request -> plan.placer().place(request, view.network())
        : AffinityPicker.of(affinity, plan, packet.srcAddress(), view.network());
  }

  private boolean awaitsMembers(Arrival arrival, ServicePlan plan) {
    int found = plan.members().servers().size();
    return found < plan.membersExpected() && (found == 0 || othersMayAnswer(arrival));
  }

  /** Whether a packet waits for members whose first has just been found. */
  private boolean othersMayAnswer(Arrival arrival) {
    return arrival.awaitsMembers() && nanoTime.getAsLong() - arrival.nanos() < OTHERS_ANSWER_NANOS;
  }

  private void lostInTransit(Arrival arrival) {
    Packet packet = arrival.packet();
    FiveTuple reversed = packet.fiveTuple().reversed();
    @Nullable Connection toMember = connections.byReply(reversed);
    @Nullable Connection toClient = connections.byRequest(reversed);
    if (toMember != null) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
      programmer.deliverTranslated(packet, toMember.server().at());
    } else if (toClient != null) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
      programmer.deliverTranslated(packet, toClient.client());
      toClient.saw(false);
      if (toClient.isAnswered() && !relocations.isOfOther(toClient)) {
        activator.reinstall(toClient); // it has paths again, if it was dormant
      }
    } else {
      deliverLost(packet);
    }
  }

  /** A packet of a connection that a bucket has placed: there is no record of it. */
  private void deliverLost(Packet packet) {
    boolean isProactive = !buckets.isEmpty();
    Optional<Attachment> receiver =
        isProactive ? clients.find(packet.destination()) : Optional.empty();
    if (receiver.isPresent()) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
      programmer.deliverTranslated(packet, receiver.get());
    } else {
      rejectSender.drop(RejectReason.LOST_LABEL);
    }
  }
}
