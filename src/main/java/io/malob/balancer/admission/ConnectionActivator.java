package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Moved;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionRoutes;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.Delivery;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Gives connections their paths, reactivates dormant ones, and sends their packets as soon as the
 * paths are ready. Called by the threads that read from switches, several at once; never blocks.
 *
 * @param placed receives the first packet of each connection whose rules have been sent
 */
public record ConnectionActivator(
    Supplier<BalancerView> views,
    Tables tables,
    ConnectionRoutes routes,
    ConnectionRuleSender ruleSender,
    RejectSender rejectSender,
    ConnectionTeardown teardown,
    PacketInCounters packetIns,
    Consumer<Arrival> placed) {
  /**
   * Sends the first packet of a connection that has just been placed.
   *
   * @param halfOpenUntil as {@link Connection#halfOpen} says
   * @param isBrief whether its rules are to end soon
   */
  void start(
      Connection connection,
      Placement placement,
      Arrival arrival,
      long halfOpenUntil,
      boolean isBrief) {
    Route route = routes.acquire(placement);
    if (route.isReady() && connection.begin(route, halfOpenUntil, isBrief)) {
      ruleSender.carry(connection, route, arrival.packet());
      tables.connections().changed(connection);
      placed.accept(arrival);
    } else {
      teardown.carryOut(connection, connection.halfOpen(halfOpenUntil, isBrief));
      send(connection, arrival.packet());
      open(connection, route, arrival);
    }
  }

  /** Gives a connection its first rules that has begun without them, and sends its packet on. */
  void goOn(Connection connection, Placement placement, Arrival arrival) {
    send(connection, arrival.packet());
    open(connection, routes.acquire(placement), null);
  }

  /**
   * Handles a packet of a known connection, from either end, that arrived before its rules were
   * installed or after they expired.
   */
  public void forward(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    if (!connection.isFromClient(packet)) {
      connection.saw(false);
    } else if (!packet.isTcpSyn()) {
      teardown.heard(connection);
    }
    if (carry(connection, arrival)) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
    }
  }

  /** Gives a dormant connection its rules again, although no packet of it has come. */
  public void reinstall(Connection connection) {
    if (connection.state() == Connection.State.DORMANT) {
      reactivate(connection);
    }
  }

  /** Removes the rule for replies that a connection's member has sent to a MAC address. */
  void clearReplies(Connection connection, MacAddress sentTo) {
    ruleSender.clearReplies(connection, sentTo);
  }

  /** Sends the rules of an open connection again, of which something has changed. */
  void restore(Connection connection) {
    @Nullable Route route = connection.route();
    if (route != null && route.isReady() && connection.state().hasRules()) {
      ruleSender.restore(connection, route);
    }
  }

  /** A rule that sends the controller packets of a connection has expired. */
  public void watchRuleExpired(FiveTuple request, int generation) {
    @Nullable Connection connection = tables.connections().byRequest(request);
    if (connection != null && connection.generation() == generation) {
      watch(connection);
    }
  }

  /** Lets the controller see packets of a connection that would reach another member. */
  public void watch(Connection connection) {
    if (connection.state().hasRules()) {
      ruleSender.watch(connection);
    }
  }

  /** Forwards a packet, or keeps it pending until its paths are ready; false if it is rejected. */
  boolean carry(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    boolean goesOn = send(connection, packet);
    @Nullable RejectReason refused =
        connection.state() == Connection.State.DORMANT ? reactivate(connection) : null;
    if (refused != null) {
      connection.takePending();
      // a missing path does not end a connection: by the time of a retransmission there may be one
      if (refused == RejectReason.NO_ROUTE) {
        rejectSender.drop(refused);
      } else if (refused == RejectReason.NO_MEMBER && mayComeBack(connection.server())) {
        packetIns.count(PacketInCounters.Outcome.EARLIER);
      } else {
        rejectSender.reject(arrival, refused);
      }
    }
    return refused == null && goesOn;
  }

  /** Lets a connection go on whose client or member has moved; clears their rules of before. */
  void follow(Connection connection, Moved before) {
    teardown.countAsOwn(connection);
    // at the same switch, rules are written over
    if (!before.client().switchId().equals(connection.client().switchId())) {
      ruleSender.clearClientSide(connection, before.client());
    }
    if (!before.server().at().switchId().equals(connection.server().at().switchId())) {
      ruleSender.clearMemberSide(connection, before.server().at());
    }
    if (before.hasRules()) {
      reroute(connection, before.route());
    }
  }

  /**
   * Reroutes an open connection whose client or member has moved. Without a path, or if its client
   * has ended it, it becomes dormant.
   *
   * @param before its paths so far; null if it had none
   */
  private void reroute(Connection connection, @Nullable Route before) {
    if (before != null) {
      routes.release(before);
    }
    BalancerView view = views.get();
    @Nullable PoolView pool = view.poolOfMember().get(connection.server().number());
    if (pool != null
        && connection.state() != Connection.State.ENDED
        && placeOnItsOwn(connection, pool, view) instanceof Placement placement) {
      open(connection, routes.acquire(placement), null);
    } else {
      teardown.expire(connection, End.MOVED);
    }
  }

  private static Placer.Result placeOnItsOwn(
      Connection connection, PoolView pool, BalancerView view) {
    return pool.placer(connection.algorithm())
        .placeOn(
            connection.server(),
            Placer.Request.from(connection.client().switchId()),
            view.network());
  }

  /**
   * Whether a missing member may return: switches are still being read, or the server's switch is
   * away.
   */
  private boolean mayComeBack(Server server) {
    return tables.recovering().isIncomplete()
        || !views.get().network().topology().switches().contains(server.at().switchId());
  }

  /**
   * Reactivates a dormant connection on its own member. Returns the reason against it, or null if
   * the connection is open.
   */
  private @Nullable RejectReason reactivate(Connection connection) {
    BalancerView view = views.get();
    @Nullable PoolView pool = view.poolOfMember().get(connection.server().number());
    if (pool == null) {
      return RejectReason.NO_MEMBER;
    }
    if (!(placeOnItsOwn(connection, pool, view) instanceof Placement placement)) {
      return RejectReason.NO_ROUTE;
    }
    if (!tables.connections().reactivate(connection).happened()) {
      // another thread was faster, or the limit is reached
      @Nullable Connection current = tables.connections().byRequest(connection.request());
      if (current == null || !current.state().hasRules()) {
        return RejectReason.LIMIT;
      }
      if (!current.equals(connection)) {
        connection.takePending().forEach(packet -> send(current, packet));
      }
      return null;
    }
    tables.limiter().resumed(connection, view);
    open(connection, routes.acquire(placement), null);
    return null;
  }

  /**
   * Sets the paths of an open connection, and forwards its packets as soon as the paths are ready.
   *
   * @param first the first packet of a connection that has just been placed; null for others
   */
  private void open(Connection connection, Route route, @Nullable Arrival first) {
    @Nullable Route spare = connection.take(route);
    if (spare != null) {
      routes.release(spare);
    }
    if (route.equals(spare)) {
      return; // the connection was closed concurrently, for example because its member was deleted
    }
    if (route.isReady()) {
      letGo(connection, route, first);
    } else {
      routes.whenReady(route, ready -> pathsAreDecided(connection, route, ready, first));
    }
  }

  /** By now the connection may be on other paths, or on none: these are no business of its then. */
  private void pathsAreDecided(
      Connection connection, Route route, boolean ready, @Nullable Arrival first) {
    if (ready) {
      if (route.equals(connection.route())) {
        letGo(connection, route, first);
      }
    } else if (first != null) {
      if (teardown.closeOn(connection, route)) {
        rejectSender.reject(first, RejectReason.PATH_FAILED);
      }
    } else if (teardown.strandOn(connection, route)) {
      // it had begun before: by the time of a retransmission there may be a path
      rejectSender.drop(RejectReason.PATH_FAILED);
    }
  }

  /** Sends what waits, and puts the rules on their switches even if nothing does. */
  private void letGo(Connection connection, Route route, @Nullable Arrival first) {
    List<Packet> pending = connection.takePending();
    for (Packet packet : pending) {
      ruleSender.carry(connection, route, packet);
    }
    if (pending.isEmpty() && !connection.isProgrammed()) {
      ruleSender.restore(connection, route);
    }
    tables.connections().changed(connection);
    if (first != null) {
      placed.accept(first);
    }
  }

  /** Sends a packet on, or lets it wait; false if there is no room for that. */
  private boolean send(Connection connection, Packet packet) {
    Delivery delivery = connection.deliver(packet);
    switch (delivery) {
      case READY -> {
        @Nullable Route route = connection.route();
        if (route != null) {
          ruleSender.carry(connection, route, packet);
        }
      }
      case FULL -> rejectSender.drop(RejectReason.QUEUE_FULL);
      case PENDING -> {}
    }
    return delivery != Delivery.FULL;
  }
}
