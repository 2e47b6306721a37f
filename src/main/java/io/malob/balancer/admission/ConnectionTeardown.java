package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Left;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionRecords;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.Routes;
import io.malob.balancer.health.UnansweredSynDetector;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Protocol;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * How connections end: ended by their clients, put to sleep when their rules have timed out, cut
 * off, or forgotten. Called by the threads that read from switches, several at once, and by upkeep;
 * never blocks.
 */
public final class ConnectionTeardown {
  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionLimiter connectionLimiter;
  private final Routes routes;
  private final ConnectionProgrammer programmer;
  private final FtpSessions ftpSessions;
  private final RecoveredConnections earlier;
  private final UnansweredSynDetector unansweredSyns;
  private final ConnectionRecords records;
  private final HalfOpenLimit halfOpen;
  private final LongSupplier nanoTime;

  public ConnectionTeardown(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionLimiter connectionLimiter,
      Routes routes,
      ConnectionProgrammer programmer,
      FtpSessions ftpSessions,
      RecoveredConnections earlier,
      UnansweredSynDetector unansweredSyns,
      ConnectionRecords records,
      HalfOpenLimit halfOpen,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.connectionLimiter = connectionLimiter;
    this.routes = routes;
    this.programmer = programmer;
    this.ftpSessions = ftpSessions;
    this.earlier = earlier;
    this.unansweredSyns = unansweredSyns;
    this.records = records;
    this.halfOpen = halfOpen;
    this.nanoTime = nanoTime;
  }

  /**
   * A client has sent FIN or RST: its connection counts no more; its rules go when they are idle.
   */
  public void ended(FiveTuple request) {
    @Nullable Connection connection = connections.byRequest(request);
    if (connection != null) {
      heard(connection);
      if (connection.end(nanoTime.getAsLong())) {
        connectionLimiter.left(connection, views.get());
      }
      unansweredSyns.ended(connection);
      leaveSession(connection);
    } else {
      earlier.ended(request);
    }
  }

  /** A new connection has taken the place and the rules of one that its client has ended. */
  void replaced(Connection connection, Left earlier) {
    records.replaced(connection, earlier);
  }

  /** If it is a control connection of FTP: no more data connections are expected of it. */
  public void leaveSession(Connection connection) {
    if (ftpSessions.closed(connection)) {
      programmer.expectNoData(connection);
      @Nullable Connection other =
          ftpSessions.atMember(connection.request().srcAddress(), connection.server().address());
      if (other != null) {
        programmer.expectData(other);
      }
    }
  }

  /** More than the first packet of a connection has come from its client. */
  public void heard(Connection connection) {
    connection.hear();
    confirm(connection, connection.confirm());
  }

  private void confirm(Connection connection, long halfOpenUntil) {
    if (halfOpenUntil != Connection.NOT_HALF_OPEN) {
      halfOpen.remove(connection.vipNumber(), halfOpenUntil);
    }
  }

  /**
   * The request rule of a connection has timed out.
   *
   * @param at the switch that had it: a rule that a connection has left behind says nothing of it
   * @param isUnused whether it has counted no packet
   */
  public void timedOut(DatapathId at, FiveTuple request, int generation, boolean isUnused) {
    @Nullable Connection connection = connections.byRequest(request);
    if (connection == null || connection.generation() != generation) {
      earlier.timedOut(request, generation);
      return; // a later connection of the same five-tuple, or forgotten already
    }
    if (!connection.client().switchId().equals(at)) {
      return;
    }
    boolean wasHalfOpen =
        isUnused
            && request.protocol() == Protocol.TCP.ipNumber()
            && connection.isBrief()
            && connection.isUnheard();
    // what never was one, or has ended, must not push out of memory what has not
    boolean forget =
        request.protocol() == Protocol.ICMP.ipNumber()
            || wasHalfOpen
            || (connection.hasEnded() && connections.isHalfAsleep());
    leave(
        connection,
        forget
            ? connections.forget(connection, Connection.State.OPEN)
            : connections.sleep(connection),
        End.IDLE);
  }

  /** Puts the connections of clients at a switch that lost its rules to sleep. */
  public void switchReset(DatapathId switchId) {
    connections
        .find(connection -> connection.client().switchId().equals(switchId))
        .forEach(connection -> leave(connection, connections.sleep(connection), End.SWITCH_RESET));
  }

  /**
   * Puts a connection to sleep whose client's switch does not come back; false if it is not open.
   */
  public boolean switchLost(Connection connection) {
    return leave(connection, connections.sleep(connection), End.SWITCH_AWAY);
  }

  /** Puts a connection to sleep for which there is no path between where its ends are now. */
  void strand(Connection connection) {
    leave(connection, connections.sleep(connection), End.MOVED);
  }

  /** Forgets a connection that nobody misses, and takes its rules away. */
  public void cutOff(Connection connection) {
    if (close(connection, End.CUT_OFF)) {
      programmer.remove(connection);
    }
  }

  /** Forgets a connection that its client has ended, or that sleeps; false if it is in use. */
  boolean makeRoom(Connection earlier) {
    if (earlier.hasEnded()) {
      cutOff(earlier);
      return true;
    }
    return connections.forget(earlier, Connection.State.DORMANT) != null;
  }

  /** Forgets an open connection that is on these paths; false if it is not. */
  boolean closeOn(Connection connection, Route route) {
    return leave(connection, connections.forgetOn(connection, route), End.CLOSED);
  }

  /** Forgets a connection whatever its state; false if it is forgotten already. */
  boolean close(Connection connection) {
    return close(connection, End.CLOSED);
  }

  private boolean close(Connection connection, End end) {
    return leave(connection, connections.forget(connection, Connection.State.OPEN), end)
        || connections.forget(connection, Connection.State.DORMANT) != null;
  }

  /** Does what a connection has left to be done, if it was this thread that made it leave. */
  private boolean leave(Connection connection, @Nullable Left left, End end) {
    if (left == null) {
      return false;
    }
    confirm(connection, left.halfOpenUntil());
    if (left.wasCounted()) {
      connectionLimiter.left(connection, views.get());
    }
    records.left(connection, left, end);
    @Nullable Route route = left.route();
    if (route != null) {
      routes.release(route);
    }
    return true;
  }
}
