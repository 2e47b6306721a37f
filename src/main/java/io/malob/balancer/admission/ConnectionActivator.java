package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
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
      connections.changed(connection);
      times.count(nanoTime.getAsLong() - arrival.nanos());
    } else {
      teardown.carryOut(connection, connection.halfOpen(halfOpenUntil, isBrief));
      send(connection, arrival.packet());
      open(connection, route, arrival, true);
    }
  }

  /** Gives a connection its first rules that has begun without them, and sends its packet on. */
  void goOn(Connection connection, Placement placement, Arrival arrival) {
    send(connection, arrival.packet());
    open(connection, routes.acquire(placement), arrival, false);
  }

  /**
   * Handles a packet of a known connection, from either end, that arrived before its rules were
   * installed or after they expired.
   */
  public void forward(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    if (packet.dstAddress() != connection.request().dstAddress()) {
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
      reactivate(connection, null);
    }
  }

  /** The rule for SYNs on the five-tuple of a connection has expired. */
  public void synRuleExpired(FiveTuple request, int generation) {
    @Nullable Connection connection = connections.byRequest(request);
    if (connection != null
        && connection.generation() == generation
        && connection.state().hasRules()) {
      programmer.watchSyns(connection);
    }
  }

  /** Handles the first packet of a connection that takes over the rules of an ended one. */
  void reopen(Connection connection, Arrival arrival) {
    carry(connection, arrival); // the connection is counted as placed
  }

  /** Forwards a packet, or keeps it pending until its paths are ready; false if it is rejected. */
  private boolean carry(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    boolean goesOn = send(connection, packet);
    @Nullable RejectReason refused =
        connection.state() == Connection.State.DORMANT ? reactivate(connection, arrival) : null;
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

  /**
   * Reroutes an open connection whose client or member has moved. Without a path, or if its client
   * has ended it, it becomes dormant.
   *
   * @param before its paths so far; null if it had none
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

  /**
   * Whether a missing member may return: switches are still being read, or the server's switch is
   * away.
   */
  private boolean mayComeBack(Server server) {
    return earlier.isIncomplete()
        || !views.get().network().topology().switches().contains(server.at().switchId());
  }

  /**
   * Reactivates a dormant connection on its own member. Returns the reason against it, or null if
   * the connection is open.
   */
  private @Nullable RejectReason reactivate(Connection connection, @Nullable Arrival arrival) {
    BalancerView view = views.get();
    @Nullable PoolView pool = view.poolOfMember().get(connection.server().number());
    if (pool == null) {
      return RejectReason.NO_MEMBER;
    }
    if (!(placeOnItsOwn(connection, pool, view) instanceof Placement placement)) {
      return RejectReason.NO_ROUTE;
    }
    if (!connections.reactivate(connection).happened()) {
      // another thread was faster, or the limit is reached
      @Nullable Connection current = connections.byRequest(connection.request());
      if (current == null || !current.state().hasRules()) {
        return RejectReason.LIMIT;
      }
      if (!current.equals(connection)) {
        connection.takePending().forEach(packet -> send(current, packet));
      }
      return null;
    }
    connectionLimiter.resumed(connection, view);
    open(connection, routes.acquire(placement), arrival, false);
    return null;
  }

  /**
   * Sets the paths of an open connection, and forwards its packets as soon as the paths are ready.
   *
   * @param first the packet that triggered it; null if there is none
   */
  private void open(
      Connection connection, Route route, @Nullable Arrival first, boolean isPlacement) {
    @Nullable Route spare = connection.take(route);
    if (spare != null) {
      routes.release(spare);
    }
    if (route.equals(spare)) {
      return; // the connection was closed concurrently, for example because its member was deleted
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
    if (ready) {
      if (route.equals(connection.route())) {
        letGo(connection, route, first, isPlacement);
      }
    } else if (isPlacement && first != null) {
      if (teardown.closeOn(connection, route)) {
        rejectSender.reject(first, RejectReason.PATH_FAILED);
      }
    } else if (teardown.strandOn(connection, route)) {
      // it had begun before: by the time of a retransmission there may be a path
      rejectSender.drop(RejectReason.PATH_FAILED);
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
    connections.changed(connection);
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
