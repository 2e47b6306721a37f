package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelledPath;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * One client's connection to a VIP: its member is chosen once, for life. Its two labelled paths
 * belong to it only while it is open.
 *
 * <p>Each transition is one method and happens under one lock, together with the decision what it
 * leaves to its caller: so of several threads exactly one takes a connection off the counts, and it
 * counts whenever it is open and not ended. "Ended" is an open connection that its client has ended
 * and whose rules may still be there.
 *
 * <pre>
 * transition    open              ended             dormant           closed
 * end           ended, uncounted  -                 remembers it      remembers it
 * startAgain    -                 open, counted     -                 -
 * sleep         dormant           dormant           -                 -
 * wake          -                 -                 open, counted     -
 * close(OPEN)   closed            closed            -                 -
 * close(DORMANT)-                 -                 closed            -
 * </pre>
 *
 * <p>Thread-safe: what changes is guarded by this object's own lock, which is held for a few
 * instructions only and never while anything is sent.
 */
public final class Connection {
  /** What {@link #confirm} gives if a connection does not count as half open. */
  public static final long NOT_HALF_OPEN = Long.MIN_VALUE;

  /** How many packets may wait for the paths; a TCP client sends one SYN a second. */
  private static final int MAX_PARKED = 8;

  /** Where a connection stands. */
  public enum State {
    /** It has, or is about to get, rules on its switches; it counts on its member. */
    OPEN,
    /** Its rules have timed out; it is remembered, so that it can go on. */
    DORMANT,
    /** It is forgotten. */
    CLOSED
  }

  /** The two paths of an open connection. */
  public record Route(LabelledPath request, LabelledPath reply) {
    public boolean isReady() {
      return request.isReady() && reply.isReady();
    }

    private PlacedConnection.Route shown() {
      return new PlacedConnection.Route(request.path(), macOf(request), reply.path(), macOf(reply));
    }

    private static @Nullable MacAddress macOf(LabelledPath path) {
      @Nullable Label label = labelOf(path);
      return label == null ? null : label.mac();
    }

    private void countActive(int change) {
      request.countActive(change);
      reply.countActive(change);
    }
  }

  /**
   * What a connection leaves to the thread that made it stop being open, or being dormant.
   *
   * @param wasCounted whether it is to be taken off the counts of its VIP and member
   * @param wasEnded whether its client had ended it
   * @param halfOpenUntil until when it would have counted as half open; {@link #NOT_HALF_OPEN} if
   *     it did not
   * @param openedAtNanos when its first packet came
   * @param route its paths, to be released; null if it had none
   */
  public record Left(
      boolean wasCounted,
      boolean wasEnded,
      long halfOpenUntil,
      long openedAtNanos,
      @Nullable Route route) {}

  /**
   * Where a connection had its ends until now.
   *
   * @param route the paths between them, to be released; null if it had none
   * @param isOpen whether it is open, and needs others
   */
  public record Moved(Attachment client, Server server, @Nullable Route route, boolean isOpen) {}

  private final FiveTuple request;
  private final FiveTuple reply;
  private final int vipNumber;
  private final Algorithm algorithm;
  private final int generation;

  /** Its member, and where that is attached. */
  private volatile Server server;

  /** Where its client is attached. */
  private volatile Attachment client;

  /** What is to be learnt from it; null for most. */
  private volatile @Nullable FlowSample sample;

  private State state = State.OPEN;
  private boolean counted = true;

  /** Until when it counts as half open; none if it does not. */
  private long halfOpenUntil = NOT_HALF_OPEN;

  /** Whether nothing but its first packet came to the controller, nor has it slept. */
  private boolean unheard = true;

  /** Whether its rules end after a shorter time than usual. */
  private volatile boolean brief;

  private boolean over;
  private @Nullable Route route;
  private List<Packet> parked = List.of();
  private long asleepSinceNanos;
  private long openedAtNanos;
  private boolean programmed;
  private boolean wasProgrammed;
  private long programmedAtNanos;
  private @Nullable Long seenAtNanos;
  private boolean wasRelocated;
  private long relocatedAtNanos;

  /**
   * An open connection.
   *
   * @param request the packets from client to VIP
   * @param vipNumber the VIP's number in the catalog
   * @param algorithm what placed it
   * @param server the member
   * @param client where the client is attached
   * @param generation tells this connection from an earlier one of the same five-tuple
   * @param nowNanos on the controller's monotonic clock
   */
  public Connection(
      FiveTuple request,
      int vipNumber,
      Algorithm algorithm,
      Server server,
      Attachment client,
      int generation,
      long nowNanos) {
    this.request = request;
    this.reply = atMember(request, server).reversed();
    this.vipNumber = vipNumber;
    this.algorithm = algorithm;
    this.server = server;
    this.client = client;
    this.generation = generation;
    this.openedAtNanos = nowNanos;
  }

  public FiveTuple request() {
    return request;
  }

  /** The request's packets as the member sees them. */
  FiveTuple requestAtMember() {
    return reply.reversed();
  }

  /** The packets from the member to the client, as the member makes them. */
  public FiveTuple reply() {
    return reply;
  }

  /** How packets of a client look at a server. */
  public static FiveTuple atMember(FiveTuple request, Server server) {
    boolean keepsPort = server.port() == 0 || request.dstPort() == 0;
    return FiveTuple.of(
        request.protocol(),
        request.srcAddress(),
        request.srcPort(),
        server.address(),
        keepsPort ? request.dstPort() : server.port());
  }

  public int vipNumber() {
    return vipNumber;
  }

  public Algorithm algorithm() {
    return algorithm;
  }

  public Server server() {
    return server;
  }

  public Attachment client() {
    return client;
  }

  public int generation() {
    return generation;
  }

  /** Has something learnt from the connection; to be called before its rules are sent. */
  void observe(FlowSample whatIsLearnt) {
    sample = whatIsLearnt;
  }

  /** Whether something is still to be learnt from it: the end of its reply rule is to be told. */
  boolean isSampled() {
    @Nullable FlowSample learning = sample;
    return learning != null && !learning.isSpoilt();
  }

  /** What is counted of it is no longer all of it, or no longer of it alone. */
  private void spoilSample() {
    @Nullable FlowSample learning = sample;
    if (learning != null) {
      learning.spoil();
      sample = null;
    }
  }

  /**
   * It has been placed, and counts as half open.
   *
   * @param until as {@link HalfOpenLimit#add} says
   * @param isBrief whether its rules are to end soon
   */
  public synchronized void halfOpen(long until, boolean isBrief) {
    halfOpenUntil = until;
    brief = isBrief;
  }

  /** It counts as half open no more; until when it would have, or that it did not. */
  public synchronized long confirm() {
    long until = halfOpenUntil;
    halfOpenUntil = NOT_HALF_OPEN;
    return until;
  }

  /** More than its first packet came to the controller. */
  public synchronized void hear() {
    unheard = false;
  }

  /** Whether nothing but its first packet came to the controller, nor has it slept. */
  public synchronized boolean isUnheard() {
    return unheard;
  }

  /** Whether its rules end after a shorter time than usual. */
  public boolean isBrief() {
    return brief;
  }

  public synchronized State state() {
    return state;
  }

  /** The paths; null while the connection is not open, or not yet given any. */
  public synchronized @Nullable Route route() {
    return route;
  }

  /**
   * A new connection begins on the port of this one, which its client has ended, with its member
   * and its rules.
   *
   * @return the connection that it was until now, which keeps its paths; null if it has not ended,
   *     or is no longer open
   */
  public synchronized @Nullable Left startAgain(long nowNanos) {
    if (!hasEnded()) {
      return null;
    }
    Left earlier = new Left(false, true, NOT_HALF_OPEN, openedAtNanos, route);
    beginCounting();
    openedAtNanos = nowNanos;
    return earlier;
  }

  /** It goes on after its client has ended it, or after a pause. */
  private void beginCounting() {
    over = false;
    unheard = false;
    brief = false;
    spoilSample();
    setCounted(true);
  }

  private boolean setCounted(boolean now) {
    if (counted == now) {
      return false;
    }
    counted = now;
    if (route != null) {
      route.countActive(now ? 1 : -1);
    }
    return true;
  }

  /** Replaces the paths, and moves the connection from the counts of the old to the new ones. */
  private @Nullable Route setRoute(@Nullable Route newRoute) {
    Route old = route;
    route = newRoute;
    if (counted && newRoute != null) {
      newRoute.countActive(1);
    }
    if (counted && old != null) {
      old.countActive(-1);
    }
    return old;
  }

  /** Its client has ended it; whether it is to be taken off the counts of its VIP and member. */
  public synchronized boolean end(long nowNanos) {
    @Nullable FlowSample learning = sample;
    if (!over && learning != null) {
      learning.ended(nowNanos);
    }
    over = true;
    return setCounted(false);
  }

  /** Whether its client has ended it. */
  public synchronized boolean isOver() {
    return over;
  }

  /** Whether its client has ended it, though its rules may still be there. */
  public synchronized boolean hasEnded() {
    return state == State.OPEN && over;
  }

  /** Whether the connection goes over one of these paths. */
  public synchronized boolean uses(Set<LabelledPath> paths) {
    return route != null && (paths.contains(route.request()) || paths.contains(route.reply()));
  }

  /** Puts an open connection to sleep; null if it is not open. */
  public synchronized @Nullable Left sleep(long nowNanos) {
    if (state != State.OPEN) {
      return null;
    }
    asleepSinceNanos = nowNanos;
    return leave(State.DORMANT);
  }

  /** Wakes a dormant connection, which counts from now on; false if it is not dormant. */
  public synchronized boolean wake() {
    if (state != State.DORMANT) {
      return false;
    }
    state = State.OPEN;
    beginCounting();
    return true;
  }

  /** Closes a connection for good; null if it is not in that state. */
  public synchronized @Nullable Left close(State expected) {
    return state == expected && state != State.CLOSED ? leave(State.CLOSED) : null;
  }

  /** Closes an open connection for good; null if it is not open, or not on these paths. */
  public synchronized @Nullable Left closeOn(Route expected) {
    return expected.equals(route) ? close(State.OPEN) : null;
  }

  private Left leave(State next) {
    state = next;
    programmed = false;
    parked = List.of();
    boolean wasCounted = setCounted(false);
    return new Left(wasCounted, over, confirm(), openedAtNanos, setRoute(null));
  }

  /** Whether the connection has slept since then without a break. */
  public synchronized boolean isAsleepSince(long nanos) {
    return state == State.DORMANT && asleepSinceNanos == nanos;
  }

  /**
   * Gives the connection its paths. Gives back those that it has no use for: the ones from before,
   * or these if it is no longer open.
   */
  public synchronized @Nullable Route take(Route newRoute) {
    if (state != State.OPEN) {
      return newRoute;
    }
    return setRoute(newRoute);
  }

  /**
   * Leads the connection over other paths, and moves it from the counts of the old to the new ones;
   * false if it is no longer open on the paths that it was thought to be on.
   *
   * @param nowNanos when its rules are changed, on the controller's monotonic clock
   */
  public synchronized boolean move(Route from, Route to, long nowNanos) {
    if (state != State.OPEN || !from.equals(route)) {
      return false;
    }
    setRoute(to);
    programmedAtNanos = nowNanos;
    return true;
  }

  /**
   * Whether its rules are to be sent now: if it is open, and they were not sent within that time.
   * Switches need a moment until a rule takes effect; packets that come in the meantime must not
   * double the load.
   */
  public synchronized boolean program(long nowNanos, long withinNanos) {
    boolean due =
        state == State.OPEN && (!programmed || nowNanos - programmedAtNanos >= withinNanos);
    if (due) {
      if (wasProgrammed) {
        spoilSample(); // the counters of rules that are sent again begin anew
      }
      programmed = true;
      wasProgrammed = true;
      programmedAtNanos = nowNanos;
    }
    return due;
  }

  /** Whether its rules were last sent before that time. */
  public synchronized boolean isProgrammedBefore(long nanos) {
    return programmed && programmedAtNanos - nanos < 0;
  }

  /**
   * Its ends are attached there now, so that its paths and rules are of no use any more. An open
   * connection stays open and on the counts of its VIP and member.
   *
   * @param restNanos how long after the last time nothing is changed
   * @return null if nothing has changed
   */
  public synchronized @Nullable Moved relocate(
      Attachment newClient, Server newServer, long nowNanos, long restNanos) {
    boolean isThere = newClient.equals(client) && newServer.at().equals(server.at());
    boolean rests = wasRelocated && nowNanos - relocatedAtNanos < restNanos;
    if (state == State.CLOSED || isThere || rests) {
      return null;
    }
    Moved before = new Moved(client, server, setRoute(null), state == State.OPEN);
    client = newClient;
    server = newServer;
    wasRelocated = true;
    relocatedAtNanos = nowNanos;
    programmed = false;
    spoilSample();
    return before;
  }

  /** Whether its rules were sent since it was opened. */
  public synchronized boolean isProgrammed() {
    return programmed;
  }

  /** The switch of its member has told that the rule of its replies is still there. */
  public synchronized void seenAtMember(long nowNanos) {
    seenAtNanos = nowNanos;
  }

  /** When it last gave a sign: its rules were sent, or that of its replies was there. */
  public synchronized long lastSignNanos() {
    @Nullable Long seen = seenAtNanos;
    long sent = wasProgrammed ? programmedAtNanos : openedAtNanos;
    return seen == null || sent - seen > 0 ? sent : seen;
  }

  /** What became of a packet that was to go on its way. */
  public enum Parking {
    /** The paths are ready: it can be sent. */
    READY,
    /** It waits until they are. */
    PARKED,
    /** Too many wait already. */
    FULL
  }

  /** Keeps a packet until the paths are ready, unless they are. */
  public synchronized Parking park(Packet packet) {
    if (route != null && route.isReady() && parked.isEmpty()) {
      return Parking.READY;
    }
    if (parked.size() >= MAX_PARKED) {
      return Parking.FULL;
    }
    if (parked.isEmpty()) {
      parked = new ArrayList<>(1);
    }
    parked.add(packet);
    return Parking.PARKED;
  }

  /** The packets that waited, oldest first; they wait no more. */
  public synchronized List<Packet> unpark() {
    List<Packet> waiting = parked;
    parked = List.of();
    return waiting;
  }

  /** What the client's edge switch makes of packets to the VIP. */
  Translation requestTranslation(Route paths) {
    return new Translation(request, requestAtMember(), null, labelOf(paths.request()), server.at());
  }

  /** What the member's edge switch makes of packets to the client. */
  Translation replyTranslation(Route paths) {
    return new Translation(
        reply, request.reversed(), VipMac.of(request.dstAddress()), labelOf(paths.reply()), client);
  }

  /** The label that packets get for a path; null for one within a switch. */
  public static @Nullable Label labelOf(LabelledPath path) {
    return path.path().hops() == 0 ? null : path.label();
  }

  /** As it is at this moment; empty if it is forgotten. */
  public synchronized Optional<PlacedConnection> shown(long nowNanos) {
    return state == State.CLOSED
        ? Optional.empty()
        : Optional.of(
            new PlacedConnection(
                request,
                vipNumber,
                algorithm,
                server,
                client,
                phase(),
                Math.max(0, nowNanos - openedAtNanos),
                generation,
                route == null ? null : route.shown()));
  }

  /** How long ago its first packet came, or it was taken over from the switches. */
  public synchronized long ageNanos(long nowNanos) {
    return Math.max(0, nowNanos - openedAtNanos);
  }

  private Phase phase() {
    if (state == State.DORMANT) {
      return Phase.DORMANT;
    }
    return over ? Phase.ENDED : Phase.OPEN;
  }

  @Override
  public String toString() {
    return request + " on member " + server.number();
  }
}
