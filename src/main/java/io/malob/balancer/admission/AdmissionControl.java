package io.malob.balancer.admission;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Content;
import io.malob.balancer.connection.Connection.Effects;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.ConnectionTable.Admission;
import io.malob.balancer.connection.FlowSamples;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.openflow.Cookie;
import io.malob.state.catalog.Persistence;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Places new connections and takes them into the table, or refuses them. Called by the threads that
 * read from switches, several at once; never blocks.
 */
public final class AdmissionControl {
  /** How often a placement is retried when other threads take the last place of its choice. */
  private static final int MAX_TRIES = 3;

  private final ConnectionTable connections;
  private final MemberTiers tiers;
  private final ConnectionLimiter connectionLimiter;
  private final AffinityTable affinity;
  private final FtpSessions ftpSessions;
  private final ConnectionProgrammer programmer;
  private final ConnectionActivator activator;
  private final ConnectionTeardown teardown;
  private final RejectSender rejectSender;
  private final PendingPackets pendingPackets;
  private final RecoveredConnections earlier;
  private final FlowSamples samples;
  private final HalfOpenLimit halfOpen;
  private final SwitchOutages outages;
  private final AtomicInteger generations;

  /**
   * Creates an admission control for the given table.
   *
   * @param firstGeneration the first generation number; generations distinguish connections of the
   *     same five-tuple
   */
  public AdmissionControl(
      ConnectionTable connections,
      MemberTiers tiers,
      ConnectionLimiter connectionLimiter,
      AffinityTable affinity,
      FtpSessions ftpSessions,
      ConnectionProgrammer programmer,
      ConnectionActivator activator,
      ConnectionTeardown teardown,
      RejectSender rejectSender,
      PendingPackets pendingPackets,
      RecoveredConnections earlier,
      FlowSamples samples,
      HalfOpenLimit halfOpen,
      SwitchOutages outages,
      int firstGeneration) {
    this.connections = connections;
    this.tiers = tiers;
    this.connectionLimiter = connectionLimiter;
    this.affinity = affinity;
    this.ftpSessions = ftpSessions;
    this.programmer = programmer;
    this.activator = activator;
    this.teardown = teardown;
    this.rejectSender = rejectSender;
    this.pendingPackets = pendingPackets;
    this.earlier = earlier;
    this.samples = samples;
    this.halfOpen = halfOpen;
    this.outages = outages;
    this.generations = new AtomicInteger(firstGeneration);
  }

  /** Chooses the member and the paths. */
  interface Choice {
    Placer.Result choose(Placer.Request request);
  }

  /**
   * What a new connection is placed by.
   *
   * @param vipNumber the VIP's number in the catalog
   * @param vipLimit how many connections the VIP may have
   * @param algorithm the algorithm that places it, now and when it is reactivated
   * @param choice that algorithm, over the members that it may choose from
   * @param client where the client is attached
   * @param view what the choice is made from
   * @param profile what it is placed by, and what learns from it
   * @param isFtpControl whether it is a control connection of FTP
   * @param tally what counts what becomes of it
   */
  record Terms(
      int vipNumber,
      int vipLimit,
      Algorithm algorithm,
      Choice choice,
      Attachment client,
      BalancerView view,
      ServiceProfile profile,
      boolean isFtpControl,
      PlacementCounts.Tally tally) {

    /** The terms of a plan. */
    static Terms of(ServicePlan plan, Choice choice, Attachment client, BalancerView view) {
      return new Terms(
          plan.vip().number(),
          plan.vip().limit(),
          plan.choice().algorithm(),
          choice,
          client,
          view,
          plan.profile(),
          plan.isFtpControl(),
          plan.tally());
    }
  }

  /**
   * Places a connection and sends its first packet on, or rejects that.
   *
   * @param request the packets from client to VIP
   * @param first its first packet, from either end
   */
  void admit(FiveTuple request, Arrival first, Terms terms) {
    @Nullable RejectReason refused = fullAt(terms.vipNumber, terms.vipLimit);
    if (refused == RejectReason.HALF_OPEN) {
      halfOpen.refuse(terms.vipNumber);
      terms.tally.refused(RejectReason.HALF_OPEN);
      rejectSender.drop(
          RejectReason.HALF_OPEN); // an answer would go to the owner of a forged address
      return;
    }
    boolean wasSearching = terms.view.network().isSearching();
    if (refused == null) {
      refused =
          tiers.tryEach(
              request.srcAddress(),
              terms.client,
              request,
              (acceptable, takesRoom) -> tryAmong(request, first, terms, acceptable, takesRoom));
    }
    if (refused == RejectReason.NO_ROUTE
        && (wasSearching
            || terms.view.network().isSearching()
            || earlier.isIncomplete()
            || outages.mayHeal())) {
      pendingPackets.enterOr(
          first, refused, (arrival, reason) -> giveUp(arrival, reason, terms.tally));
    } else if (refused != null) {
      reject(first, refused, terms);
    }
  }

  /**
   * Takes over an established connection that a bucket has led to its member so far, and sends its
   * packet on. No limit of new connections applies to it: it is open already. If there is no room
   * for it, the controller forwards its packets one by one.
   */
  void adopt(FiveTuple request, Arrival next, Terms terms) {
    Placer.Result result =
        terms.choice.choose(
            new Placer.Request(terms.client.switchId(), any -> true, terms.profile));
    if (!(result instanceof Placement placement)) {
      RejectReason refused = reasonOf((Placer.Refusal) result);
      if (refused == RejectReason.NO_ROUTE) {
        rejectSender.drop(refused); // by the time of a retransmission there may be one
      } else {
        giveUp(next, refused, terms.tally);
      }
      return;
    }
    Connection connection = connection(request, placement.server(), terms, next.nanos());
    Admission admission = connections.add(connection);
    if (admission == Admission.CLASH && makeRoom(connection)) {
      admission = connections.add(connection);
    }
    @Nullable Connection other =
        admission == Admission.EXISTS ? connections.byRequest(request) : null;
    if (admission == Admission.ADDED) {
      teardown.heard(connection);
      terms.tally.placed();
      connectionLimiter.reopened(connection, terms.view);
      joinSession(connection, terms.view);
      activator.goOn(connection, placement, next);
    } else if (other != null) {
      activator.forward(other, next);
    } else {
      programmer.deliverWithoutRules(connection, next.packet());
    }
  }

  /**
   * The reason why a VIP takes no further connection, regardless of its members; null if it takes
   * one.
   */
  @Nullable RejectReason fullAt(int vipNumber, int vipLimit) {
    if (halfOpen.isFull(vipNumber)) {
      return RejectReason.HALF_OPEN;
    }
    return connectionLimiter.isFull(vipNumber, vipLimit) ? RejectReason.VIP_FULL : null;
  }

  /**
   * Rejects a first packet that has waited in vain. It gets no answer, so that its client
   * retransmits it, if it cannot wait because too many do, or while a path, or the switch of a
   * client or member, may be back in a moment.
   */
  void giveUp(Arrival arrival, RejectReason reason, PlacementCounts.Tally tally) {
    tally.refused(reason);
    boolean mayBeBack =
        reason == RejectReason.NO_ROUTE
            || reason == RejectReason.NO_MEMBER
            || reason == RejectReason.NO_CLIENT;
    if (reason == RejectReason.QUEUE_FULL || (mayBeBack && outages.mayHeal())) {
      rejectSender.drop(reason);
    } else {
      rejectSender.reject(arrival, reason);
    }
  }

  private void reject(Arrival arrival, RejectReason reason, Terms terms) {
    if (reason == RejectReason.VIP_FULL || reason == RejectReason.MEMBERS_FULL) {
      connectionLimiter.refused(terms.vipNumber);
    }
    terms.tally.refused(reason);
    rejectSender.reject(arrival, reason);
  }

  /**
   * Takes over a recovered connection whose rules are installed; false if the limit is reached, or
   * another connection has the same five-tuple.
   *
   * @param isOver whether its client has ended it
   * @param nowNanos on the controller's monotonic clock
   */
  public boolean recover(
      Connection connection, Route route, boolean isOver, BalancerView view, long nowNanos) {
    connection.countersBeginAnew();
    connection.take(route);
    connection.program(nowNanos, 0);
    if (isOver) {
      connection.end(nowNanos);
    }
    if (connections.add(connection) != Admission.ADDED) {
      connection.close(); // removes it from the counts of its paths
      return false;
    }
    if (!isOver) {
      connectionLimiter.resumed(connection, view);
      view.persistenceOf(connection.server())
          .ifPresent(persistence -> rememberClient(connection, persistence));
      joinSession(connection, view);
    }
    connections.changed(connection);
    return true;
  }

  /**
   * Takes over what another controller knows of a connection; false if the table is full, or
   * another connection has one of its five-tuples. Nothing is sent.
   */
  public boolean replicate(
      Connection connection, Content content, BalancerView view, long nowNanos) {
    connection.replicate(content, nowNanos);
    if (connections.add(connection) != Admission.ADDED) {
      connection.close(); // removes it from the counts of its paths
      return false;
    }
    if (content.state() == State.DORMANT) {
      connections.expire(connection); // it was on no count
    } else if (content.state().counts()) {
      connectionLimiter.replicated(connection, view);
      view.persistenceOf(connection.server())
          .ifPresent(persistence -> rememberClient(connection, persistence));
      if (isControl(connection, view)) {
        ftpSessions.opened(connection);
      }
    }
    return true;
  }

  /** Remembers the member that a client had before the controller's start. */
  private void rememberClient(Connection connection, Persistence persistence) {
    affinity.remember(
        connection.vipNumber(),
        connection.request().srcAddress(),
        connection.server().number(),
        AffinityTable.NONE,
        persistence.timeoutSeconds());
  }

  /**
   * Admits a connection at one of the acceptable members. Returns the reason why it was not
   * admitted; null if it was.
   *
   * @param takesRoom whether the connection may replace an ended or dormant one
   */
  private @Nullable RejectReason tryAmong(
      FiveTuple request,
      Arrival first,
      Terms terms,
      Predicate<Server> acceptable,
      boolean takesRoom) {
    Placer.Request wish = new Placer.Request(terms.client.switchId(), acceptable, terms.profile);
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Placer.Result result = terms.choice.choose(wish);
      if (!(result instanceof Placement placement)) {
        return reasonOf((Placer.Refusal) result);
      }
      @Nullable RejectReason full =
          connectionLimiter.take(terms.vipNumber, terms.vipLimit, placement.server());
      if (full == RejectReason.VIP_FULL) {
        return full;
      }
      if (full != null) {
        continue; // other connections have taken its last place
      }
      Connection connection = connection(request, placement.server(), terms, first.nanos());
      Admission admission = connections.add(connection);
      if (admission == Admission.CLASH && takesRoom && makeRoom(connection)) {
        admission = connections.add(connection);
      }
      if (admission == Admission.ADDED) {
        admitted(connection, placement, first, terms);
        return null;
      }
      connectionLimiter.giveBack(terms.vipNumber, placement.server(), terms.view);
      @Nullable Connection other = connections.byRequest(request);
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
   * Removes a clashing connection, whose replies have the same five-tuple; false if it is in use.
   */
  private boolean makeRoom(Connection connection) {
    @Nullable Connection clash = connections.byReply(connection.reply());
    return clash == null || teardown.makeRoom(clash);
  }

  /**
   * Removes a connection that its client has ended, to free its five-tuple; false if it has been
   * reactivated.
   */
  boolean forgetEnded(Connection connection) {
    return teardown.makeRoom(connection);
  }

  /** Removes a connection, with its rules, on whose port its client has opened another. */
  void forgetReplaced(Connection connection) {
    teardown.cutOff(connection);
  }

  /**
   * A client has opened a connection on the port of an ended one whose rules are still installed.
   *
   * @param earlier the effects of the transition, including the ended connection's state
   * @param tally counts the new connection as placed
   */
  void reopened(
      Connection connection, Effects earlier, PlacementCounts.Tally tally, BalancerView view) {
    connectionLimiter.reopened(connection, view);
    if (!isControl(connection, view)) {
      measure(connection);
    }
    tally.placed();
    teardown.replaced(connection, earlier);
    joinSession(connection, view);
    connections.changed(connection);
  }

  /**
   * Joins an FTP session if the connection is a control connection; its rules are installed
   * already.
   */
  private void joinSession(Connection connection, BalancerView view) {
    if (isControl(connection, view)) {
      ftpSessions.opened(connection);
      programmer.expectData(connection);
    }
  }

  private static boolean isControl(Connection connection, BalancerView view) {
    return connection.isToFtp() && FtpSessions.isControl(view.catalog(), connection.request());
  }

  private Connection connection(FiveTuple request, Server server, Terms terms, long nowNanos) {
    return new Connection(
        request,
        terms.vipNumber,
        terms.algorithm,
        server,
        terms.client,
        Cookie.generation(generations.incrementAndGet()),
        nowNanos);
  }

  private void admitted(Connection connection, Placement placement, Arrival first, Terms terms) {
    if (!terms.isFtpControl) {
      samples.placed(connection, terms.profile, placement, terms.view);
      measure(connection);
    }
    boolean isBrief = halfOpen.isCrowded(terms.vipNumber);
    int idleSeconds = programmer.idleSeconds(connection.request(), isBrief);
    long halfOpenUntil = halfOpen.add(terms.vipNumber, idleSeconds);
    terms.tally.placed();
    placement.server().load().placed();
    terms.view.loadChanged(placement.server());
    if (terms.isFtpControl) {
      ftpSessions.opened(connection);
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
