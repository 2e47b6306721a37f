package io.malob.balancer;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.ConnectionTable.Admission;
import io.malob.openflow.Cookie;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Finds or places the connection that a packet belongs to. Called by the threads that read from
 * switches, several at once; never blocks.
 */
final class RequestHandler {
  /** An ICMP echo request. */
  private static final int ICMP_ECHO = 8;

  /** How often a placement is tried again when other threads take what it chose. */
  private static final int MAX_TRIES = 3;

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionProgrammer programmer;
  private final Departures departures;
  private final Rejections rejections;
  private final WaitingRoom waitingRoom;
  private final Clients clients;
  private final LongSupplier nanoTime;
  private final AtomicInteger generations = new AtomicInteger();

  /** Finds out where a client is attached. */
  interface Clients {
    /** Where the sender of a packet is attached, as seen at that port; empty if not known. */
    Optional<Attachment> locate(DatapathId switchId, OFPort inPort, Packet packet);
  }

  RequestHandler(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionProgrammer programmer,
      Departures departures,
      Rejections rejections,
      WaitingRoom waitingRoom,
      Clients clients,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.programmer = programmer;
    this.departures = departures;
    this.rejections = rejections;
    this.waitingRoom = waitingRoom;
    this.clients = clients;
    this.nanoTime = nanoTime;
  }

  /** Handles an IPv4 packet; false if it is none of the balancer's business. */
  boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    Arrival arrival = new Arrival(switchId, inPort, packet, nanoTime.getAsLong());
    if (Label.isLabel(packet.dstMac())) {
      lostOnItsWay(arrival);
      return true;
    }
    if (views.get().catalog().isVipAddress(packet.dstAddress())) {
      request(arrival);
      return true;
    }
    @Nullable Connection connection = connections.byReply(packet.fiveTuple());
    if (connection == null) {
      return false;
    }
    departures.reply(connection, arrival);
    return true;
  }

  /** Tries all packets again that wait for a host to be found. */
  void retryWaiting() {
    waitingRoom.leave().forEach(this::request);
  }

  private void request(Arrival arrival) {
    Packet packet = arrival.packet();
    @Nullable Protocol protocol = balanced(packet);
    if (protocol == null) {
      rejections.drop(RefusalReason.NOT_BALANCED);
      return;
    }
    @Nullable Connection known = connections.byRequest(packet.fiveTuple());
    boolean startsAnew =
        known != null && packet.isTcpSyn() && connections.forget(known, Connection.State.DORMANT);
    if (known != null && !startsAnew) {
      if (packet.isTcpSyn() && known.hasEnded() && known.recount()) {
        // a new connection on the port of one whose rules are still there: it stays with their
        // member, because switches follow a changed rule a moment too late
        known.server().load().opened();
        views.get().loadChanged(known.server());
      }
      departures.goOn(known, arrival);
    } else if (packet.kind() == Packet.Kind.TCP && !packet.isTcpSyn()) {
      rejections.reject(arrival, RefusalReason.UNKNOWN_CONNECTION);
    } else {
      start(arrival, protocol);
    }
  }

  private static @Nullable Protocol balanced(Packet packet) {
    return switch (packet.kind()) {
      case TCP -> Protocol.TCP;
      case UDP -> Protocol.UDP;
      case ICMP -> packet.icmpType() == ICMP_ECHO ? Protocol.ICMP : null;
      default -> null;
    };
  }

  private void start(Arrival arrival, Protocol protocol) {
    Packet packet = arrival.packet();
    BalancerView view = views.get();
    int port = protocol == Protocol.ICMP ? packet.icmpType() : packet.dstPort();
    Optional<Vip> vip = view.catalog().vipFor(packet.dstAddress(), protocol, port);
    if (vip.isEmpty()) {
      rejections.reject(arrival, RefusalReason.NO_VIP);
      return;
    }
    Optional<Pool> pool = view.catalog().poolOfVip(vip.get().id());
    if (pool.isEmpty()) {
      rejections.reject(arrival, RefusalReason.NO_POOL);
      return;
    }
    Optional<Attachment> client = clients.locate(arrival.switchId(), arrival.inPort(), packet);
    if (client.isEmpty()) {
      waitOrReject(arrival, RefusalReason.NO_CLIENT);
      return;
    }
    PoolView members = view.pool(pool.get());
    if (members.servers().isEmpty()) {
      waitOrReject(arrival, RefusalReason.NO_MEMBER);
      return;
    }
    Algorithm algorithm = view.catalog().algorithmFor(vip.get(), pool.get(), protocol, port);
    place(arrival, new Terms(vip.get(), algorithm, members, client.get(), view));
  }

  /** What a new connection is placed by. */
  private record Terms(
      Vip vip, Algorithm algorithm, PoolView members, Attachment client, BalancerView view) {}

  private void waitOrReject(Arrival arrival, RefusalReason reason) {
    switch (waitingRoom.enter(arrival)) {
      case WAITS -> {}
      case WAITED_LONG_ENOUGH -> rejections.reject(arrival, reason);
      case FULL -> rejections.reject(arrival, RefusalReason.QUEUE_FULL);
    }
  }

  private void place(Arrival arrival, Terms terms) {
    FiveTuple tuple = arrival.packet().fiveTuple();
    Placer placer = terms.members.placer(terms.algorithm);
    Placer.Request request =
        new Placer.Request(
            terms.client.switchId(), server -> server.address() != tuple.srcAddress());
    RefusalReason reason = RefusalReason.NO_DISTINCT_MEMBER;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Placer.Result result = placer.place(request, terms.view.network());
      if (!(result instanceof Placement placement)) {
        reason = reasonOf((Placer.Refusal) result);
        break;
      }
      Connection connection =
          new Connection(
              tuple,
              terms.vip.number(),
              terms.algorithm,
              placement.server(),
              terms.client,
              Cookie.generation(generations.incrementAndGet()));
      Admission admission = connections.add(connection);
      if (admission == Admission.ADDED) {
        placement.server().load().opened();
        terms.view.loadChanged(placement.server());
        departures.start(connection, placement, arrival);
        return;
      }
      @Nullable Connection other = connections.byRequest(tuple);
      if (admission == Admission.EXISTS && other != null) {
        departures.goOn(other, arrival);
        return;
      }
      if (admission == Admission.FULL) {
        reason = RefusalReason.LIMIT;
        break;
      }
      // rare, so that only from now on members are asked before they are chosen
      request = new Placer.Request(terms.client.switchId(), server -> canTake(server, tuple));
    }
    rejections.reject(arrival, reason);
  }

  /** Whether a server is not the client itself and can tell the connection from its others. */
  private boolean canTake(Server server, FiveTuple request) {
    if (server.address() == request.srcAddress()) {
      return false;
    }
    @Nullable Connection other =
        connections.byReply(Connection.atMember(request, server).reversed());
    return other == null || other.state() != Connection.State.OPEN;
  }

  private static RefusalReason reasonOf(Placer.Refusal refusal) {
    return switch (refusal) {
      case NO_SERVER -> RefusalReason.NO_MEMBER;
      case NO_ROUTE -> RefusalReason.NO_ROUTE;
      case NOT_ACCEPTABLE -> RefusalReason.NO_DISTINCT_MEMBER;
    };
  }

  private void lostOnItsWay(Arrival arrival) {
    Packet packet = arrival.packet();
    FiveTuple reversed = packet.fiveTuple().reversed();
    @Nullable Connection toMember = connections.byReply(reversed);
    @Nullable Connection toClient = connections.byRequest(reversed);
    if (toMember != null) {
      programmer.deliverTranslated(packet, toMember.server().at());
    } else if (toClient != null) {
      programmer.deliverTranslated(packet, toClient.client());
    } else {
      rejections.drop(RefusalReason.LOST_LABEL);
    }
  }
}
