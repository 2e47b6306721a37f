package io.malob.balancer.admission;

import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.Decision.New;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.BucketTable.Tracking;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Content;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionTable.Admission;
import io.malob.balancer.connection.Effects;
import io.malob.balancer.connection.FlowSamples;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.Cookie;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Places new connections and takes them into the table, or refuses them. Called by the threads that
 * read from switches, several at once; never blocks.
 *
 * @param generations the latest generation number; generations distinguish connections of the same
 *     five-tuple
 */
public record AdmissionControl(
    Tables tables,
    MemberTiers tiers,
    ConnectionRuleSender ruleSender,
    ConnectionActivator activator,
    ConnectionTeardown teardown,
    TrackedOpenings tracked,
    FlowSamples samples,
    AtomicInteger generations) {
  /** How often a placement is retried when other threads take the last place of its choice. */
  private static final int MAX_TRIES = 3;

  /**
   * Places a connection and sends its first packet on. Returns the reason why it does not; null if
   * it does.
   *
   * @param first its first packet, from either end
   */
  @Nullable RejectReason admit(New opened, Arrival first) {
    @Nullable Tracking tracking = tracked.trackingOf(opened, first);
    if (tracking != null && tracked.repeat(opened, first, tracking)) {
      return null;
    }
    if (tracking != null && tracking.traffic().translatesSource()) {
      return tiers.tryAll((acceptable, takesRoom) -> track(opened, first, acceptable, tracking));
    }
    return tiers.tryEach(
        opened.request().srcAddress(),
        opened.client(),
        opened.request(),
        (acceptable, takesRoom) ->
            tracking == null
                ? tryAmong(opened, first, acceptable, takesRoom)
                : track(opened, first, acceptable, tracking));
  }

  /** Opens a connection that the client's edge tracks. */
  private @Nullable RejectReason track(
      New opened, Arrival first, Predicate<Server> acceptable, Tracking tracking) {
    Placer.Result result =
        opened
            .choice()
            .choose(new Placer.Request(opened.client().switchId(), acceptable, opened.profile()));
    if (!(result instanceof Placement placement)) {
      return reasonOf((Placer.Refusal) result);
    }
    tracked.open(opened, placement.server(), first, tracking);
    return null;
  }

  /**
   * Takes over an established connection that a bucket has led to its member so far, and sends its
   * packet on. No limit of new connections applies to it: it is open already. If there is no room
   * for it, the controller forwards its packets one by one. Returns the reason why it cannot go on;
   * null if it does.
   */
  @Nullable RejectReason takeOver(New established, Arrival next) {
    Placer.Result result =
        established
            .choice()
            .choose(
                new Placer.Request(
                    established.client().switchId(), any -> true, established.profile()));
    if (!(result instanceof Placement placement)) {
      return reasonOf((Placer.Refusal) result);
    }
    Connection connection = connection(established, placement.server(), next.nanos());
    Admission admission = add(connection, true);
    @Nullable Connection other =
        admission == Admission.EXISTS
            ? tables.connections().byRequest(established.request())
            : null;
    if (admission == Admission.ADDED) {
      teardown.heard(connection);
      established.tally().placed();
      tables.limiter().reopened(connection, established.view());
      joinSession(connection, established.view());
      activator.goOn(connection, placement, next);
    } else if (other != null) {
      activator.forward(other, next);
    } else {
      ruleSender.deliverWithoutRules(connection, next.packet());
    }
    return null;
  }

  /**
   * Adds a connection to the table.
   *
   * @param takesRoom whether it may take the place of a connection without use whose replies have
   *     the same five-tuple
   */
  private Admission add(Connection connection, boolean takesRoom) {
    Admission admission = tables.connections().add(connection);
    if (admission == Admission.CLASH && takesRoom) {
      @Nullable Connection clash = tables.connections().byReply(connection.reply());
      if (clash == null || teardown.makeRoom(clash)) {
        admission = tables.connections().add(connection);
      }
    }
    return admission;
  }

  /**
   * Takes over a recovered connection whose rules are installed; false if the limit is reached, or
   * another connection has the same five-tuple.
   *
   * @param isEnded whether its client has ended it
   * @param nowNanos on the controller's monotonic clock
   */
  public boolean recover(
      Connection connection, Route route, boolean isEnded, BalancerView view, long nowNanos) {
    connection.countersBeginAnew();
    connection.take(route);
    connection.program(nowNanos, 0);
    if (isEnded) {
      connection.end(nowNanos);
    }
    if (tables.connections().add(connection) != Admission.ADDED) {
      connection.close(); // removes it from the counts of its paths
      return false;
    }
    if (!isEnded) {
      tables.limiter().resumed(connection, view);
      rememberClient(connection, view);
      joinSession(connection, view);
    }
    tables.connections().changed(connection);
    return true;
  }

  /**
   * Takes over what another controller knows of a connection; false if the table is full, or
   * another connection has one of its five-tuples. Nothing is sent.
   */
  public boolean replicate(
      Connection connection, Content content, BalancerView view, long nowNanos) {
    connection.replicate(content, nowNanos);
    if (tables.connections().add(connection) != Admission.ADDED) {
      connection.close(); // removes it from the counts of its paths
      return false;
    }
    if (content.state() == State.DORMANT) {
      tables.connections().expire(connection); // it was on no count
    } else if (content.state().counts()) {
      tables.limiter().replicated(connection, view);
      rememberClient(connection, view);
      if (isControl(connection, view)) {
        tables.ftpSessions().opened(connection);
      }
    }
    return true;
  }

  /** Remembers the member that a client had before the controller's start. */
  private void rememberClient(Connection connection, BalancerView view) {
    view.persistenceOf(connection.server())
        .ifPresent(
            persistence ->
                tables
                    .affinity()
                    .remember(
                        connection.vipNumber(),
                        connection.request().srcAddress(),
                        connection.server().number(),
                        AffinityTable.NONE,
                        persistence.timeoutSeconds()));
  }

  /**
   * Admits a connection at one of the acceptable members. Returns the reason why it was not
   * admitted; null if it was.
   *
   * @param takesRoom whether the connection may replace an ended or dormant one
   */
  private @Nullable RejectReason tryAmong(
      New opened, Arrival first, Predicate<Server> acceptable, boolean takesRoom) {
    Placer.Request among =
        new Placer.Request(opened.client().switchId(), acceptable, opened.profile());
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Placer.Result result = opened.choice().choose(among);
      if (!(result instanceof Placement placement)) {
        return reasonOf((Placer.Refusal) result);
      }
      @Nullable RejectReason full =
          tables.limiter().take(opened.vipNumber(), opened.vipLimit(), placement.server());
      if (full == RejectReason.VIP_FULL) {
        return full;
      }
      if (full != null) {
        continue; // other connections have taken its last place
      }
      Connection connection = connection(opened, placement.server(), first.nanos());
      Admission admission = add(connection, takesRoom);
      if (admission == Admission.ADDED) {
        admitted(connection, placement, first, opened);
        return null;
      }
      tables.limiter().giveBack(opened.vipNumber(), placement.server(), opened.view());
      @Nullable Connection other = tables.connections().byRequest(opened.request());
      if (admission == Admission.EXISTS && other != null) {
        activator.forward(other, first);
        return null;
      }
      if (admission == Admission.FULL) {
        return RejectReason.LIMIT;
      }
      if (admission == Admission.CLASH && !takesRoom) {
        return RejectReason.NO_DISTINCT_MEMBER;
      }
    }
    return RejectReason.NO_DISTINCT_MEMBER;
  }

  /**
   * A client has opened a connection on the port of an ended one whose rules are still installed.
   *
   * @param superseded the effects of the transition, including the ended connection's state
   * @param tally counts the new connection as placed
   */
  void reopened(
      Connection connection, Effects superseded, PlacementCounts.Tally tally, BalancerView view) {
    tables.limiter().reopened(connection, view);
    if (!isControl(connection, view)) {
      measure(connection);
    }
    tally.placed();
    teardown.records().replaced(connection, superseded);
    joinSession(connection, view);
    tables.connections().changed(connection);
  }

  /**
   * Joins an FTP session if the connection is a control connection; its rules are installed
   * already.
   */
  private void joinSession(Connection connection, BalancerView view) {
    if (isControl(connection, view)) {
      tables.ftpSessions().opened(connection);
      ruleSender.expectData(connection);
    }
  }

  private static boolean isControl(Connection connection, BalancerView view) {
    return connection.isToFtp() && FtpSessions.isControl(view.catalog(), connection.request());
  }

  private Connection connection(New opened, Server server, long nowNanos) {
    return new Connection(
        opened.request(),
        opened.vipNumber(),
        opened.algorithm(),
        server,
        opened.client(),
        Cookie.generation(generations.incrementAndGet()),
        nowNanos);
  }

  private void admitted(Connection connection, Placement placement, Arrival first, New opened) {
    if (!opened.isFtpControl()) {
      samples.placed(connection, opened.profile(), placement, opened.view());
      measure(connection);
    }
    boolean isBrief = tables.halfOpen().isCrowded(opened.vipNumber());
    int idleSeconds = ruleSender.messages().idleSeconds(connection.request(), isBrief);
    long halfOpenUntil = tables.halfOpen().add(opened.vipNumber(), idleSeconds);
    opened.tally().placed();
    placement.server().load().placed();
    opened.view().loadChanged(placement.server());
    if (opened.isFtpControl()) {
      tables.ftpSessions().opened(connection);
    }
    activator.start(connection, placement, first, halfOpenUntil, isBrief);
  }

  /** Its response time will be measured if its algorithm needs that; it is counted already. */
  private static void measure(Connection connection) {
    if (connection.algorithm().isByResponseTimes()) {
      connection.measureAmong(connection.server().load().present() - 1);
    }
  }

  /** What a refusal of a placer is counted as. */
  static RejectReason reasonOf(Placer.Refusal refusal) {
    return switch (refusal) {
      case NO_SERVER -> RejectReason.NO_MEMBER;
      case NO_ROUTE -> RejectReason.NO_ROUTE;
      case NOT_ACCEPTABLE -> RejectReason.NO_DISTINCT_MEMBER;
    };
  }
}
