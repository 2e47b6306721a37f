package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.joint.NetworkTime;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.ConnectionRecords;
import io.malob.balancer.connection.ConnectionRoutes;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.Effects;
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
public record ConnectionTeardown(
    Supplier<BalancerView> views,
    Tables tables,
    ConnectionRoutes routes,
    ConnectionRuleSender ruleSender,
    UnansweredSynDetector unansweredSyns,
    ConnectionRecords records,
    FalseEnds falseEnds,
    LongSupplier nanoTime) {
  /**
   * A client has sent FIN or RST: its connection counts no more; its rules go when they are idle.
   *
   * @param isFinished whether it was a FIN: the client has got its answer
   */
  public void ended(FiveTuple request, boolean isFinished) {
    @Nullable Connection connection = tables.connections().byRequest(request);
    if (connection != null) {
      heard(connection);
      if (falseEnds.mayBeFalse(request.srcAddress())) {
        return; // its rules show when it ends
      }
      long nowNanos = nanoTime.getAsLong();
      Effects effects = tables.connections().end(connection, nowNanos);
      if (isFinished && effects.countsNoMore()) {
        measure(connection, effects, nowNanos);
      }
      carryOut(connection, effects);
      unansweredSyns.ended(connection);
      ruleSender.leaveSession(connection);
    } else {
      tables.recovering().ended(request);
    }
  }

  /**
   * Its member has taken the time that the paths do not explain as they are now, without this
   * connection. The data connections of FTP do not show how fast a member is.
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
    return tables.ftpSessions().atMember(connection.request().srcAddress(), member) != null;
  }

  /** More than the first packet of a connection has come from its client. */
  public void heard(Connection connection) {
    Effects effects = connection.hear();
    carryOut(connection, effects);
    if (effects.happened() || effects.halfOpenUntil() != Connection.NOT_HALF_OPEN) {
      tables.connections().changed(connection);
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
    tables.recovering().timedOut(request, generation);
    @Nullable Connection connection = tables.connections().byRequest(request);
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
    @Nullable Connection connection = tables.connections().byReply(reply);
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
            || (tables.connections().isHalfFullOfDormant()
                && (connection.state() == Connection.State.ENDED || !connection.mayBeAnswered()));
    leave(
        connection,
        forget ? tables.connections().close(connection) : tables.connections().expire(connection),
        End.IDLE);
  }

  /** The connections of clients at a switch that lost its rules become dormant. */
  public void switchReset(DatapathId switchId) {
    tables
        .connections()
        .findWithRules(connection -> connection.client().switchId().equals(switchId))
        .forEach(connection -> expire(connection, End.SWITCH_RESET));
  }

  /** A connection that has lost its rules or paths becomes dormant; false if it has no rules. */
  public boolean expire(Connection connection, End cause) {
    return leave(connection, tables.connections().expire(connection), cause);
  }

  /** Lets a connection sleep whose new paths were not installed; false if it is on others. */
  boolean strandOn(Connection connection, Route route) {
    return leave(connection, tables.connections().expireOn(connection, route), End.MOVED);
  }

  /** Forgets a connection that is not in use, and removes its rules. */
  public void cutOff(Connection connection) {
    if (close(connection, End.CUT_OFF).happened()) {
      ruleSender.remove(connection);
    }
  }

  /** This controller goes on with a connection: it counts against its own part of limits. */
  public void countAsOwn(Connection connection) {
    connection.verified();
    if (tables.limiter().countAsOwn(connection)) {
      long halfOpenUntil = connection.content().halfOpenUntil();
      if (halfOpenUntil != Connection.NOT_HALF_OPEN) {
        tables.halfOpen().countAsOwn(connection.vipNumber(), halfOpenUntil);
      }
    }
  }

  /** Forgets a connection of another controller: nothing is sent or recorded. */
  public void forgetReplicated(Connection connection) {
    if (connection.isToFtp()) {
      boolean unused =
          tables.ftpSessions().closed(connection); // before it leaves: its owner keeps the rule
    }
    carryOut(connection, tables.connections().close(connection));
  }

  /** Forgets a connection that has ended or is dormant; false if it is in use. */
  boolean makeRoom(Connection superseded) {
    if (superseded.state() == Connection.State.ENDED) {
      cutOff(superseded);
      return true;
    }
    return tables.connections().forget(superseded).happened();
  }

  /** Forgets a connection that has rules on these paths; false if it has none there. */
  boolean closeOn(Connection connection, Route route) {
    return leave(connection, tables.connections().closeOn(connection, route), End.CLOSED);
  }

  /** Removes a connection in any state. */
  Effects close(Connection connection) {
    return close(connection, End.CLOSED);
  }

  private Effects close(Connection connection, End end) {
    Effects effects = tables.connections().close(connection);
    leave(connection, effects, end);
    return effects;
  }

  /** Carries out the effects of leaving a state; whether this thread made the transition. */
  private boolean leave(Connection connection, Effects effects, End end) {
    if (effects.happened() && effects.before().hasRules()) {
      records.left(connection, effects, end); // the record of a dormant connection is there already
      ruleSender.ended(connection);
    }
    carryOut(connection, effects);
    return effects.happened();
  }

  /** Takes a connection off the counts and releases its paths, as a transition says. */
  void carryOut(Connection connection, Effects effects) {
    if (effects.halfOpenUntil() != Connection.NOT_HALF_OPEN) {
      tables
          .halfOpen()
          .remove(connection.vipNumber(), effects.halfOpenUntil(), connection.isOfOther());
    }
    if (effects.countsNoMore()) {
      tables.limiter().left(connection, views.get());
    }
    @Nullable Route route = effects.released();
    if (route != null) {
      routes.release(route);
    }
  }
}
