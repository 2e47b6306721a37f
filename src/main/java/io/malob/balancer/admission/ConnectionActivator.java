package io.malob.balancer.admission;

import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.PlacementTimes;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.Routes;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.PoolView;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives connections their paths, reactivates dormant ones, and sends their packets as soon as the
 * paths are ready. Called by the threads that read from switches, several at once; never blocks.
 */
public final class ConnectionActivator {
  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionLimiter connectionLimiter;
  private final Routes routes;
  private final ConnectionProgrammer programmer;
  private final RejectSender rejectSender;
  private final ConnectionTeardown teardown;
  private final RecoveredConnections earlier;
  private final PacketInCounters packetIns;
  private final PlacementTimes times;
  private final LongSupplier nanoTime;

  public ConnectionActivator(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionLimiter connectionLimiter,
      Routes routes,
      ConnectionProgrammer programmer,
      RejectSender rejectSender,
      ConnectionTeardown teardown,
      RecoveredConnections earlier,
      PacketInCounters packetIns,
      PlacementTimes times,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.connectionLimiter = connectionLimiter;
    this.routes = routes;
    this.programmer = programmer;
    this.rejectSender = rejectSender;
    this.teardown = teardown;
    this.earlier = earlier;
    this.packetIns = packetIns;
    this.times = times;
    this.nanoTime = nanoTime;
  }

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
      programmer.carry(connection, route, arrival.packet());
      times.count(nanoTime.getAsLong() - arrival.nanos());
    } else {
      teardown.carryOut(connection, connection.halfOpen(halfOpenUntil, isBrief));
      send(connection, arrival.packet());
      open(connection, route, arrival, true);
    }
  }

  /**
   * A packet of a connection that is known, from either end: it was faster than the rules, or
   * outlived them.
   */
  public void forward(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    if (!packet.isTcpSyn() && packet.dstAddress() == connection.request().dstAddress()) {
      teardown.heard(connection);
    }
    if (carry(connection, arrival)) {
      packetIns.count(PacketInCounters.Outcome.KNOWN);
    }
  }

  /** The first packet of a connection that begins with the rules of one that has ended. */
  void reopen(Connection connection, Arrival arrival) {
    carry(connection, arrival); // it is counted among those that were placed
  }

  /** Sends a packet on, or lets it wait for its paths; false if it is refused. */
  private boolean carry(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    boolean goesOn = send(connection, packet);
    @Nullable RejectReason refused =
        connection.state() == Connection.State.DORMANT ? reactivate(connection, arrival) : null;
    if (refused != null) {
      connection.takePending();
      // no way is no reason to end a connection: the packet comes again, and by then there may be
      // one
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

  /**
   * The ends of an open connection are attached elsewhere: it gets the paths between them, and its
   * rules there. Without a path, or if its client has ended it, it becomes dormant.
   *
   * @param before the paths that it had; null for none
   */
  void reroute(Connection connection, @Nullable Route before) {
    if (before != null) {
      routes.release(before);
    }
    BalancerView view = views.get();
    @Nullable PoolView pool = view.poolOfMember().get(connection.server().number());
    if (pool != null
        && !connection.hasEnded()
        && placeOnItsOwn(connection, pool, view) instanceof Placement placement) {
      open(connection, routes.acquire(placement), null, false);
    } else {
      teardown.strand(connection);
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

  /** Whether not all switches have told what they hold, or a server's own one is away. */
  private boolean mayComeBack(Server server) {
    return earlier.isIncomplete()
        || !views.get().network().topology().switches().contains(server.at().switchId());
  }

  /** Opens a dormant connection again, on its own member; why not, or null if it is open. */
  private @Nullable RejectReason reactivate(Connection connection, Arrival arrival) {
    BalancerView view = views.get();
    @Nullable PoolView pool = view.poolOfMember().get(connection.server().number());
    if (pool == null) {
      return RejectReason.NO_MEMBER;
    }
    if (!(placeOnItsOwn(connection, pool, view) instanceof Placement placement)) {
      return RejectReason.NO_ROUTE;
    }
    if (!connections.reactivate(connection).happened()) {
      // another thread was faster, or there is no room
      return connection.state().hasRules() ? null : RejectReason.LIMIT;
    }
    connectionLimiter.resumed(connection, view);
    open(connection, routes.acquire(placement), arrival, false);
    return null;
  }

  /**
   * Gives an open connection its paths, and lets its packets go as soon as they are ready.
   *
   * @param first the packet that asked for that; null if none did
   */
  private void open(
      Connection connection, Route route, @Nullable Arrival first, boolean isPlacement) {
    @Nullable Route spare = connection.take(route);
    if (spare != null) {
      routes.release(spare);
    }
    if (route.equals(spare)) {
      return; // an operator took its member away in this very moment
    }
    if (route.isReady()) {
      letGo(connection, route, first, isPlacement);
    } else {
      routes.whenReady(
          route, ready -> pathsAreDecided(connection, route, ready, first, isPlacement));
    }
  }

  /** By now the connection may be on other paths, or on none: these are no business of its then. */
  private void pathsAreDecided(
      Connection connection,
      Route route,
      boolean ready,
      @Nullable Arrival first,
      boolean isPlacement) {
    if (!ready && teardown.closeOn(connection, route)) {
      if (first == null) {
        rejectSender.drop(RejectReason.PATH_FAILED);
      } else {
        rejectSender.reject(first, RejectReason.PATH_FAILED);
      }
    } else if (ready && route.equals(connection.route())) {
      letGo(connection, route, first, isPlacement);
    }
  }

  /** Sends what waits, and puts the rules on their switches even if nothing does. */
  private void letGo(
      Connection connection, Route route, @Nullable Arrival first, boolean isPlacement) {
    List<Packet> pending = connection.takePending();
    for (Packet packet : pending) {
      programmer.carry(connection, route, packet);
    }
    if (pending.isEmpty() && !connection.isProgrammed()) {
      programmer.restore(connection, route);
    }
    if (isPlacement && first != null) {
      times.count(nanoTime.getAsLong() - first.nanos());
    }
  }

  /** Sends a packet on, or lets it wait; false if there is no room for that. */
  private boolean send(Connection connection, Packet packet) {
    Connection.Delivery delivery = connection.deliver(packet);
    switch (delivery) {
      case READY -> {
        @Nullable Route route = connection.route();
        if (route != null) {
          programmer.carry(connection, route, packet);
        }
      }
      case FULL -> rejectSender.drop(RejectReason.QUEUE_FULL);
      case PENDING -> {}
    }
    return delivery != Connection.Delivery.FULL;
  }
}
