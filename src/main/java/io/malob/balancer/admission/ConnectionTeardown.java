package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.joint.NetworkTime;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Effects;
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
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.RuleCounts;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * How connections end: ended by their clients, dormant when their rules have expired, cut off, or
 * forgotten. Called by the threads that read from switches, several at once, and by housekeeping;
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
  private final FalseEnds falseEnds;
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
      FalseEnds falseEnds,
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
    this.falseEnds = falseEnds;
    this.nanoTime = nanoTime;
  }

  /** A client has sent RST: its connection counts no more; its rules go when they are idle. */
  public void ended(FiveTuple request) {
    ended(request, /* isFinished= */ false);
  }

  /** The same for FIN: it has got its answer. */
  public void finished(FiveTuple request) {
    ended(request, /* isFinished= */ true);
  }

  private void ended(FiveTuple request, boolean isFinished) {
    @Nullable Connection connection = connections.byRequest(request);
    if (connection != null) {
      heard(connection);
      if (falseEnds.mayBeFalse(request.srcAddress())) {
        return; // its rules tell
      }
      long nowNanos = nanoTime.getAsLong();
      Effects effects = connections.end(connection, nowNanos);
      if (isFinished && effects.countsNoMore()) {
        measure(connection, effects, nowNanos);
      }
      carryOut(connection, effects);
      unansweredSyns.ended(connection);
      leaveSession(connection);
    } else {
      earlier.ended(request);
    }
  }

  /**
   * Its member has taken the time that the paths do not explain as they are now, without this
   * connection. The data connections of FTP do not tell how fast a member is.
   */
  private void measure(Connection connection, Effects ending, long nowNanos) {
    short inFlight = connection.inFlight();
    @Nullable Route route = ending.route();
    if (inFlight == Connection.NOT_MEASURED || route == null) {
      return;
    }
    BalancerView view = views.get();
    FiveTuple request = connection.request();
    Optional<Vip> vip =
        view.catalog().vipFor(request.dstAddress(), Protocol.TCP, request.dstPort());
    @Nullable ServicePlan plan =
        vip.isEmpty() ? null : view.plan(vip.get(), Protocol.TCP, request.dstPort());
    Path there = route.request().path();
    Path back = route.reply().path();
    if (plan == null
        || !view.network().topology().contains(there)
        || !view.network().topology().contains(back)
        || (plan.mayFollowControl() && isFtpData(connection))) {
      return;
    }
    double networkNanos = NetworkTime.nanos(view.network().values(), there, back, plan.profile());
    double nanos = Math.max(0, nowNanos - ending.openedAtNanos() - networkNanos);
    plan.profile().responded(connection.server().number(), inFlight, nanos);
  }

  private boolean isFtpData(Connection connection) {
    int member = connection.server().address();
    return ftpSessions.atMember(connection.request().srcAddress(), member) != null;
  }

  /** A new connection has taken over the five-tuple and the rules of an ended one. */
  void replaced(Connection connection, Effects earlier) {
    records.replaced(connection, earlier);
  }

  /** If it is a control connection of FTP: no more data connections are expected of it. */
  public void leaveSession(Connection connection) {
    if (connection.isToFtp() && ftpSessions.closed(connection)) {
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
    Effects effects = connection.hear();
    carryOut(connection, effects);
    if (effects.happened() || effects.halfOpenUntil() != Connection.NOT_HALF_OPEN) {
      connections.changed(connection);
    }
  }

  /**
   * The request rule of a connection has timed out.
   *
   * @param at the switch that had it: a rule that a connection has left behind says nothing of it
   * @param packets how many it has counted; {@link RuleCounts#UNKNOWN} if not known
   * @return the connection; null if it is not in memory any more
   */
  public @Nullable Connection timedOut(
      DatapathId at, FiveTuple request, int generation, long packets) {
    earlier.timedOut(request, generation);
    @Nullable Connection connection = connections.byRequest(request);
    if (connection == null || connection.generation() != generation) {
      return null; // a later connection of the same five-tuple, or forgotten already
    }
    if (!connection.client().switchId().equals(at)) {
      return connection;
    }
    if (connection.timedOut(true, packets)) {
      leaveIdle(connection);
    }
    return connection;
  }

  /**
   * The reply rule of a connection has timed out.
   *
   * @param idleSeconds the time that it had to be idle for; 0 if not known
   * @return the connection; null if it is not in memory any more, or has a later rule
   */
  public @Nullable Connection replyTimedOut(
      DatapathId at, FiveTuple reply, int generation, long packets, int idleSeconds) {
    @Nullable Connection connection = connections.byReply(reply);
    if (connection == null
        || connection.generation() != generation
        || !connection.server().at().switchId().equals(at)
        || !connection.isProgrammedBefore(
            nanoTime.getAsLong() - TimeUnit.SECONDS.toNanos(idleSeconds) + 1)) {
      return null;
    }
    if (connection.timedOut(false, packets)) {
      leaveIdle(connection);
    }
    return connection;
  }

  /**
   * A connection becomes dormant. Once half of the room for dormant ones is taken, those that have
   * ended or were never answered are forgotten instead.
   */
  private void leaveIdle(Connection connection) {
    boolean forget =
        connection.isForgettable()
            || connection.request().protocol() == Protocol.ICMP.ipNumber()
            || (connections.isHalfFullOfDormant()
                && (connection.hasEnded() || !connection.mayBeAnswered()));
    leave(
        connection,
        forget ? connections.close(connection) : connections.expire(connection),
        End.IDLE);
  }

  /** The connections of clients at a switch that lost its rules become dormant. */
  public void switchReset(DatapathId switchId) {
    connections
        .findWithRules(connection -> connection.client().switchId().equals(switchId))
        .forEach(connection -> leave(connection, connections.expire(connection), End.SWITCH_RESET));
  }

  /**
   * A connection whose client's switch does not come back becomes dormant; false if it has no
   * rules.
   */
  public boolean switchLost(Connection connection) {
    return leave(connection, connections.expire(connection), End.SWITCH_AWAY);
  }

  /** A connection without a path between the places of its ends becomes dormant. */
  void strand(Connection connection) {
    leave(connection, connections.expire(connection), End.MOVED);
  }

  /** Lets a connection sleep whose new paths were not installed; false if it is on others. */
  boolean strandOn(Connection connection, Route route) {
    return leave(connection, connections.expireOn(connection, route), End.MOVED);
  }

  /** Forgets a connection that is not in use, and removes its rules. */
  public void cutOff(Connection connection) {
    if (close(connection, End.CUT_OFF).happened()) {
      programmer.remove(connection);
    }
  }

  /** This controller goes on with a connection: it counts against its own part of limits. */
  public void adopted(Connection connection) {
    connection.verified();
    if (connectionLimiter.adopted(connection)) {
      long halfOpenUntil = connection.content().halfOpenUntil();
      if (halfOpenUntil != Connection.NOT_HALF_OPEN) {
        halfOpen.adopted(connection.vipNumber(), halfOpenUntil);
      }
    }
  }

  /** Forgets a connection of another controller: nothing is sent or recorded. */
  public void forgetReplicated(Connection connection) {
    if (connection.isToFtp()) {
      boolean unused = ftpSessions.closed(connection); // before it leaves: its owner keeps the rule
    }
    carryOut(connection, connections.close(connection));
  }

  /** Forgets a connection that has ended or is dormant; false if it is in use. */
  boolean makeRoom(Connection earlier) {
    if (earlier.hasEnded()) {
      cutOff(earlier);
      return true;
    }
    return connections.forget(earlier).happened();
  }

  /** Forgets a connection that has rules on these paths; false if it has none there. */
  boolean closeOn(Connection connection, Route route) {
    return leave(connection, connections.closeOn(connection, route), End.CLOSED);
  }

  /** Removes a connection in any state. */
  Effects close(Connection connection) {
    return close(connection, End.CLOSED);
  }

  private Effects close(Connection connection, End end) {
    Effects effects = connections.close(connection);
    leave(connection, effects, end);
    return effects;
  }

  /** Carries out the effects of leaving a state; whether this thread made the transition. */
  private boolean leave(Connection connection, Effects effects, End end) {
    if (effects.happened() && effects.before().hasRules()) {
      records.left(connection, effects, end); // the record of a dormant connection is there already
      programmer.ended(connection);
    }
    carryOut(connection, effects);
    return effects.happened();
  }

  /** Takes a connection off the counts and releases its paths, as a transition says. */
  void carryOut(Connection connection, Effects effects) {
    if (effects.halfOpenUntil() != Connection.NOT_HALF_OPEN) {
      halfOpen.remove(connection.vipNumber(), effects.halfOpenUntil(), connection.isOfOther());
    }
    if (effects.countsNoMore()) {
      connectionLimiter.left(connection, views.get());
    }
    @Nullable Route route = effects.released();
    if (route != null) {
      routes.release(route);
    }
  }
}
