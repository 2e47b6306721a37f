package io.malob.balancer;

import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.Connection.Route;
import io.malob.openflow.packet.Packet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives connections their paths, wakes those that sleep, and lets their packets go as soon as the
 * paths are ready. Called by the threads that read from switches, several at once; never blocks.
 */
final class Departures {
  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final Occupancy occupancy;
  private final Routes routes;
  private final ConnectionProgrammer programmer;
  private final Rejections rejections;
  private final Endings endings;
  private final EarlierConnections earlier;
  private final PacketIns packetIns;
  private final PlacementTimes times;
  private final LongSupplier nanoTime;

  Departures(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      Occupancy occupancy,
      Routes routes,
      ConnectionProgrammer programmer,
      Rejections rejections,
      Endings endings,
      EarlierConnections earlier,
      PacketIns packetIns,
      PlacementTimes times,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.occupancy = occupancy;
    this.routes = routes;
    this.programmer = programmer;
    this.rejections = rejections;
    this.endings = endings;
    this.earlier = earlier;
    this.packetIns = packetIns;
    this.times = times;
    this.nanoTime = nanoTime;
  }

  /** The first packet of a connection that has just been placed. */
  void start(Connection connection, Placement placement, Arrival arrival) {
    send(connection, arrival.packet());
    open(connection, placement, arrival, true);
  }

  /**
   * A packet of a connection that is known, from either end: it was faster than the rules, or
   * outlived them.
   */
  void goOn(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    if (!packet.isTcpSyn() && packet.dstAddress() == connection.request().dstAddress()) {
      endings.heard(connection);
    }
    if (carry(connection, arrival)) {
      packetIns.count(PacketIns.Outcome.KNOWN);
    }
  }

  /** The first packet of a connection that begins with the rules of one that has ended. */
  void startAgain(Connection connection, Arrival arrival) {
    carry(connection, arrival); // it is counted among those that were placed
  }

  /** Sends a packet on, or lets it wait for its paths; false if it is refused. */
  private boolean carry(Connection connection, Arrival arrival) {
    Packet packet = arrival.packet();
    boolean goesOn = send(connection, packet);
    @Nullable RefusalReason refused =
        connection.state() == Connection.State.DORMANT ? wake(connection, arrival) : null;
    if (refused != null) {
      connection.unpark();
      // no way is no reason to end a connection: the packet comes again, and by then there may be
      // one
      if (refused == RefusalReason.NO_ROUTE) {
        rejections.drop(refused);
      } else if (refused == RefusalReason.NO_MEMBER && mayComeBack(connection.server())) {
        packetIns.count(PacketIns.Outcome.EARLIER);
      } else {
        rejections.reject(arrival, refused);
      }
    }
    return refused == null && goesOn;
  }

  /** Whether not all switches have told what they hold, or a server's own one is away. */
  private boolean mayComeBack(Server server) {
    return earlier.isIncomplete()
        || !views.get().network().topology().switches().contains(server.at().switchId());
  }

  /** Opens a dormant connection again, on its own member; why not, or null if it is open. */
  private @Nullable RefusalReason wake(Connection connection, Arrival arrival) {
    BalancerView view = views.get();
    Server server = connection.server();
    @Nullable PoolView pool = view.poolOfMember().get(server.number());
    if (pool == null) {
      return RefusalReason.NO_MEMBER;
    }
    if (!(pool.placer(connection.algorithm())
            .placeOn(server, Placer.Request.from(connection.client().switchId()), view.network())
        instanceof Placement placement)) {
      return RefusalReason.NO_ROUTE;
    }
    if (!connections.wake(connection)) {
      // another thread was faster, or there is no room
      return connection.state() == Connection.State.OPEN ? null : RefusalReason.LIMIT;
    }
    occupancy.resumed(connection, view);
    open(connection, placement, arrival, false);
    return null;
  }

  /** Gives an open connection its paths, and lets its packets go as soon as they are ready. */
  private void open(
      Connection connection, Placement placement, Arrival arrival, boolean isPlacement) {
    Route route = routes.acquire(placement);
    @Nullable Route spare = connection.take(route);
    if (spare != null) {
      routes.release(spare);
    }
    if (route.equals(spare)) {
      return; // an operator took its member away in this very moment
    }
    if (route.isReady()) {
      sendParked(connection, route);
      if (isPlacement) {
        times.count(nanoTime.getAsLong() - arrival.nanos());
      }
    } else {
      routes.whenReady(
          route, ready -> pathsAreDecided(connection, route, ready, arrival, isPlacement));
    }
  }

  /** By now the connection may be on other paths, or on none: these are no business of its then. */
  private void pathsAreDecided(
      Connection connection, Route route, boolean ready, Arrival first, boolean isPlacement) {
    if (!ready && endings.closeOn(connection, route)) {
      rejections.reject(first, RefusalReason.PATH_FAILED);
    } else if (ready && route.equals(connection.route())) {
      sendParked(connection, route);
      if (isPlacement) {
        times.count(nanoTime.getAsLong() - first.nanos());
      }
    }
  }

  /** Packets that other threads parked while this one was about to give the connection paths. */
  private void sendParked(Connection connection, Route route) {
    for (Packet packet : connection.unpark()) {
      programmer.carry(connection, route, packet);
    }
  }

  /** Sends a packet on, or lets it wait; false if there is no room for that. */
  private boolean send(Connection connection, Packet packet) {
    Connection.Parking parking = connection.park(packet);
    switch (parking) {
      case READY -> {
        @Nullable Route route = connection.route();
        if (route != null) {
          programmer.carry(connection, route, packet);
        }
      }
      case FULL -> rejections.drop(RefusalReason.QUEUE_FULL);
      case PARKED -> {}
    }
    return parking != Connection.Parking.FULL;
  }
}
