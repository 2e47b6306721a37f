package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelledPath;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One client's connection to a VIP. Its member is chosen once. Its two labelled paths belong to it
 * while it has rules.
 *
 * <p>It is a state machine. Each transition is one method, which holds one lock and returns its
 * {@link Effects} for the caller to carry out. So of several threads exactly one takes a connection
 * off the counts, and a connection counts on its VIP, member and paths if and only if it is {@link
 * State#OPENING} or {@link State#OPEN}. An exception is {@link #yieldPaths}.
 *
 * <pre>
 * transition     OPENING   OPEN      ENDED     DORMANT   CLOSED
 * halfOpen       -         n         n         n         n
 * hear           OPEN h    - h       - h       -         -
 * end            ENDED u   ENDED u   -         - e       - e
 * reopen         -         -         OPEN c    -         -
 * goOn           -         -         OPEN c    -         -
 * expire         DORMANT   DORMANT   DORMANT   -         -
 *                u h r     u h r     h r e
 * expireOn       DORMANT   DORMANT   DORMANT   -         -
 *                u h r     u h r     h r e
 * reactivate     -         -         -         OPEN c    -
 * close          CLOSED    CLOSED    CLOSED    CLOSED    -
 *                u h r     u h r     h r e
 * closeOn        CLOSED    CLOSED    CLOSED    -         -
 *                u h r     u h r     h r e
 * forget         -         -         -         CLOSED    -
 *
 * c counts         u counts no more   h leaves the half-open limit, if it was in it
 * r releases paths e remembers that its client has ended it
 * n does not enter the half-open limit
 * </pre>
 *
 * <p>Its paths change in the first three states only: {@link #take}, {@link #move}, {@link
 * #relocate}.
 *
 * <p>A dormant connection is kept as a row of {@link DormantConnections}. An object in that state
 * is a picture of the row, of which there may be several: {@link ConnectionTable} makes the
 * transitions of the state, and brings the object up to date before. The object that is reactivated
 * is the connection from then on.
 *
 * <p>Thread-safe: all that changes is guarded by the lock of this object, which is held for a few
 * instructions and never while anything is sent.
 */
public final class Connection {
  /** The time in {@link Effects} of a connection that does not count as half open. */
  public static final long NOT_HALF_OPEN = Long.MIN_VALUE;

  /** How many packets may wait for the paths; a TCP client sends one SYN a second. */
  private static final int MAX_PENDING = 8;

  /** For how long the rules of a replicated connection have been there, at least. */
  private static final long REPLICATED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The time of what has not happened. */
  private static final long NEVER = Long.MIN_VALUE;

  /** The number in flight of a connection from which no response time is to be learnt. */
  public static final short NOT_MEASURED = -1;

  // how many packets a rule has counted
  private static final byte IN_USE = -2;
  private static final byte NOT_KNOWN = -1;
  private static final byte MANY = 2;

  /** The states of the table. */
  public enum State {
    /** It is placed. Nothing but its first packet has come to the controller. */
    OPENING,
    /** More of it has come, or it goes on after a pause or from before a restart. */
    OPEN,
    /** Its client has ended it. Its rules may still be there. */
    ENDED,
    /** Its rules have expired. It is kept, so that it can go on. */
    DORMANT,
    /** It is forgotten. */
    CLOSED;

    /** Whether it has, or is about to get, rules on its switches. */
    public boolean hasRules() {
      return this == OPENING || this == OPEN || this == ENDED;
    }

    /** Whether it counts on its VIP, its member and its paths. */
    public boolean counts() {
      return this == OPENING || this == OPEN;
    }
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
   * What a transition leaves to its caller.
   *
   * @param before the state that it left
   * @param after the state that it entered; the same if only the half-open limit is concerned
   * @param wasEnded whether the client had ended the connection before
   * @param halfOpenUntil until when it would have counted as half open, so that it is to be taken
   *     off the half-open limit; {@link #NOT_HALF_OPEN} if it did not count
   * @param openedAtNanos when its first packet came, on the controller's monotonic clock
   * @param route the paths that it had; to be released if it has no rules any more. Null for none
   */
  public record Effects(
      State before,
      State after,
      boolean wasEnded,
      long halfOpenUntil,
      long openedAtNanos,
      @Nullable Route route) {

    /** The transition is not one of the state that the connection is in. Nothing has changed. */
    public static final Effects NONE =
        new Effects(State.CLOSED, State.CLOSED, false, NOT_HALF_OPEN, 0, null);

    /** Whether this was a transition: of several threads that try the same, one gets true. */
    public boolean happened() {
      return before != after;
    }

    /** Whether it is to be taken off the counts of its VIP and member. */
    public boolean countsNoMore() {
      return before.counts() && !after.counts();
    }

    /** Whether it is to be put on the counts of its VIP and member. */
    public boolean countsAgain() {
      return after.counts() && !before.counts();
    }

    /** The paths to be released; null for none. */
    public @Nullable Route released() {
      return after.hasRules() ? null : route;
    }
  }

  /**
   * Where a connection had its ends until now.
   *
   * @param route the paths between them, to be released; null if it had none
   * @param hasRules whether it needs others
   */
  public record Moved(Attachment client, Server server, @Nullable Route route, boolean hasRules) {}

  /**
   * What changes of a connection, at one moment.
   *
   * @param wasEnded whether its client had ended it when its rules expired
   * @param isAnswered as {@link Connection#isAnswered}
   * @param halfOpenUntil as {@link HalfOpenLimit#add} says; {@link #NOT_HALF_OPEN} for no longer
   * @param route null while it has no paths
   */
  public record Content(
      State state,
      boolean wasEnded,
      boolean isAnswered,
      Server server,
      Attachment client,
      long openedAtNanos,
      long halfOpenUntil,
      boolean isBrief,
      @Nullable Route route) {}

  /**
   * What a dormant connection is, beside what never changes of it.
   *
   * @param isAnswered as {@link Connection#isAnswered}
   */
  record Dormancy(
      Server server,
      Attachment client,
      boolean wasEnded,
      boolean isAnswered,
      long openedAtNanos,
      long sinceNanos,
      long relocatedAtNanos) {}

  // both five-tuples: there are very many connections, so these are no objects
  private final long requestAddresses;
  private final long requestProtocolAndPorts;
  private final int memberAddress;
  private final int memberPort;

  private final int vipNumber;
  private final Algorithm algorithm;
  private final int generation;

  // the chains that it is in; ConnectionIndex's
  volatile @Nullable Connection nextByRequest;
  volatile @Nullable Connection nextByReply;

  /** Its member, and where that is attached. */
  private volatile Server server;

  /** Where its client is attached. */
  private volatile Attachment client;

  /** What is to be learnt from it; null for most. */
  private volatile @Nullable FlowSample sample;

  private volatile State state = State.OPENING;

  /** Whether its client had ended it when its rules expired or it was closed. */
  private boolean wasEnded;

  /** Whether both of its ends are known to take part in it. */
  private boolean answered;

  /** What its rules have counted, if they have timed out since they were sent last. */
  private byte requestCount = IN_USE;

  private byte replyCount = IN_USE;

  /** Until when it counts as half open. */
  private long halfOpenUntil = NOT_HALF_OPEN;

  /** Whether its rules end after a shorter time than usual. */
  private volatile boolean brief;

  private volatile @Nullable Route route;
  private List<Packet> pending = List.of();

  /** When its client has ended it, or its rules have expired after that. */
  private long leftNanos;

  /** Whether its client ends it by silence only, because it has gone on after a FIN or RST. */
  private boolean endsBySilence;

  private long openedAtNanos;
  private volatile boolean replicated;

  /**
   * How many others its member had when it was opened; {@link #NOT_MEASURED} unless its algorithm
   * needs that. A short has room in this object for free.
   */
  private short inFlight = NOT_MEASURED;

  /** Whether it counts as a connection of another controller. */
  private volatile boolean isOfOther;

  /** Whether it counts on its VIP and member only. */
  private boolean yieldsPaths;

  private volatile boolean programmed;
  private boolean wasProgrammed;
  private long programmedAtNanos;
  private long seenAtNanos;
  private long relocatedAtNanos = NEVER;

  /**
   * Creates a connection that has just been placed.
   *
   * @param request the packets from client to VIP
   * @param vipNumber the VIP's number in the catalog
   * @param algorithm the algorithm that placed it
   * @param server the member
   * @param client the client's attachment
   * @param generation distinguishes it from earlier connections of the same five-tuple
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
    FiveTuple atMember = atMember(request, server);
    requestAddresses = request.addresses();
    requestProtocolAndPorts = request.protocolAndPorts();
    memberAddress = atMember.dstAddress();
    memberPort = atMember.dstPort();
    this.vipNumber = vipNumber;
    this.algorithm = algorithm;
    this.server = server;
    this.client = client;
    this.generation = generation;
    this.openedAtNanos = nowNanos;
    this.seenAtNanos = nowNanos;
  }

  /** A dormant connection. */
  static Connection dormant(
      FiveTuple request, int vipNumber, Algorithm algorithm, int generation, Dormancy content) {
    Connection connection =
        new Connection(
            request,
            vipNumber,
            algorithm,
            content.server,
            content.client,
            generation,
            content.openedAtNanos);
    connection.state = State.DORMANT;
    connection.restore(content);
    connection.seenAtNanos = content.sinceNanos; // it had rules until then
    return connection;
  }

  /** What is to be kept of a dormant connection. */
  synchronized Dormancy dormancy() {
    return new Dormancy(
        server, client, wasEnded, answered, openedAtNanos, leftNanos, relocatedAtNanos);
  }

  /** What another controller needs to know of it. */
  public synchronized Content content() {
    return new Content(
        state, wasEnded, answered, server, client, openedAtNanos, halfOpenUntil, brief, route);
  }

  /**
   * Takes over what another controller knows of it, whose switches have its rules. To be called
   * before it is in a table; one that is dormant enters that state there.
   *
   * @param nowNanos on the controller's monotonic clock
   */
  public synchronized void replicate(Content content, long nowNanos) {
    replicated = true;
    isOfOther = content.state.counts();
    state = content.state == State.DORMANT ? State.OPEN : content.state;
    wasEnded = content.wasEnded;
    answered = content.isAnswered;
    halfOpenUntil = content.halfOpenUntil;
    leftNanos = nowNanos;
    brief = content.isBrief;
    programmed = true;
    wasProgrammed = true;
    programmedAtNanos = nowNanos - REPLICATED_NANOS;
    seenAtNanos = nowNanos;
    setRoute(content.route);
  }

  /**
   * Whether it is known from another controller alone: neither has this controller sent its rules
   * or followed its client, nor has it found its rule on the client's switch.
   */
  public boolean isReplicated() {
    return replicated;
  }

  /** Whether it counts as a connection of another controller: until this one goes on with it. */
  public boolean isOfOther() {
    return isOfOther;
  }

  /** It counts as this controller's from now on; whether it was another one's. */
  synchronized boolean takeFromOther() {
    boolean wasOfOther = isOfOther;
    isOfOther = false;
    return wasOfOther;
  }

  /** Its rule has been found on its client's switch, or this controller has followed the client. */
  public void verified() {
    replicated = false;
  }

  /** Brings a dormant connection up to date with what is kept of it. */
  synchronized void restore(Dormancy content) {
    server = content.server;
    client = content.client;
    wasEnded = content.wasEnded;
    answered = content.isAnswered;
    openedAtNanos = content.openedAtNanos;
    leftNanos = content.sinceNanos;
    relocatedAtNanos = content.relocatedAtNanos;
  }

  /** Whether others hold on to this object while it is dormant: its session, or its profile. */
  boolean isHeld() {
    return isToFtp() || isSampled();
  }

  /** The packets from the client to the VIP. */
  public FiveTuple request() {
    return new FiveTuple(requestAddresses, requestProtocolAndPorts);
  }

  boolean hasRequest(FiveTuple tuple) {
    return requestAddresses == tuple.addresses()
        && requestProtocolAndPorts == tuple.protocolAndPorts();
  }

  boolean hasReply(FiveTuple tuple) {
    return memberAddress == tuple.srcAddress()
        && memberPort == tuple.srcPort()
        && reply().equals(tuple);
  }

  /** The request's packets as the member sees them. */
  FiveTuple requestAtMember() {
    FiveTuple request = request();
    return FiveTuple.of(
        request.protocol(), request.srcAddress(), request.srcPort(), memberAddress, memberPort);
  }

  /** The packets from the member to the client, as the member makes them. */
  public FiveTuple reply() {
    return requestAtMember().reversed();
  }

  /** The five-tuple of a client's packets as a server receives them. */
  public static FiveTuple atMember(FiveTuple request, Server server) {
    return FiveTuple.of(
        request.protocol(),
        request.srcAddress(),
        request.srcPort(),
        server.address(),
        portAtMember(request.dstPort(), server));
  }

  /** The port at which a server receives what clients send to a port of the VIP. */
  static int portAtMember(int vipPort, Server server) {
    return server.port() == 0 || vipPort == 0 ? vipPort : server.port();
  }

  /** Whether it goes to the port of FTP, so that it may be a control connection. */
  public boolean isToFtp() {
    return request().dstPort() == FtpSessions.CONTROL_PORT;
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

  /** Samples the connection for a profile. To be called before its rules are sent. */
  void observe(FlowSample whatIsLearnt) {
    sample = whatIsLearnt;
  }

  /** Whether its sample is incomplete, so that its switch must report the end of its reply rule. */
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
   * Its response time is to be measured. To be called when it is opened.
   *
   * @param others how many other connections its member has; above 32,767 it counts as that many
   */
  public synchronized void measureAmong(long others) {
    inFlight = (short) Math.max(0, Math.min(Short.MAX_VALUE, others));
  }

  /** How many others its member had when it was opened, or {@link #NOT_MEASURED}. */
  public synchronized short inFlight() {
    return inFlight;
  }

  /**
   * It has been placed, and counts as half open, unless another thread has heard its client or
   * closed it meanwhile.
   *
   * @param until as {@link HalfOpenLimit#add} says
   * @param isBrief whether its rules are to end soon
   */
  public synchronized Effects halfOpen(long until, boolean isBrief) {
    if (state != State.OPENING) {
      return new Effects(state, state, false, until, openedAtNanos, null);
    }
    halfOpenUntil = until;
    brief = isBrief;
    return Effects.NONE;
  }

  /**
   * Gives a connection that has just been placed its half-open count and its paths, if these are
   * ready and no packet waits for them: then its first packet can be sent.
   *
   * @param until as {@link HalfOpenLimit#add} says
   * @param isBrief whether its rules are to end soon
   * @return false if nothing has changed
   */
  public synchronized boolean begin(Route ready, long until, boolean isBrief) {
    if (state != State.OPENING || route != null || !pending.isEmpty()) {
      return false;
    }
    halfOpenUntil = until;
    brief = isBrief;
    setRoute(ready);
    return true;
  }

  /**
   * Whether both of its ends are known to take part in it. A client goes on with a TCP connection
   * only when it has got an answer. A client of UDP may send as much as it likes, so there the
   * member must have answered; and a single datagram with one answer is over.
   */
  public synchronized boolean isAnswered() {
    return answered;
  }

  /**
   * One of its ends has sent a packet; not its first one.
   *
   * @param isRequest whether it was the client
   */
  public synchronized void saw(boolean isRequest) {
    answered |= isRequest == isTcp();
  }

  /**
   * One of its rules has timed out. A TCP connection is out of use with its request rule, because
   * the client acknowledges what it receives. Those of UDP are in use until both rules have timed
   * out.
   *
   * @param packets how many packets the rule has counted; {@link RuleCounts#UNKNOWN} if not known
   * @return whether it is out of use
   */
  public synchronized boolean timedOut(boolean isRequest, long packets) {
    if (!state.hasRules()) {
      return false;
    }
    byte count = packets < 0 ? NOT_KNOWN : (byte) Math.min(packets, MANY);
    if (isRequest) {
      requestCount = count;
    } else {
      replyCount = count;
    }
    if (isTcp() ? requestCount > 0 : isConversation()) {
      answered = true;
    }
    return endsWithBothRules() ? requestCount != IN_USE && replyCount != IN_USE : isRequest;
  }

  /**
   * Whether it is in use as long as either of its rules is, so that its member's switch must report
   * the end of its reply rule.
   */
  public boolean endsWithBothRules() {
    return protocol() == Protocol.UDP.ipNumber();
  }

  /** Whether its request rule has timed out, and not the reply rule that keeps it in use. */
  public synchronized boolean isKeptByReplies() {
    return state.hasRules() && requestCount != IN_USE;
  }

  /** Whether it was answered, and more than once, or more has come from its client after that. */
  private boolean isConversation() {
    return replyCount > 1 || (replyCount == 1 && (requestCount > 0 || state == State.OPEN));
  }

  /** Whether it was answered as far as is known: a rule may have ended without its counters. */
  public synchronized boolean mayBeAnswered() {
    return answered || requestCount == NOT_KNOWN || replyCount == NOT_KNOWN;
  }

  /** Whether it has never become a connection, and its client has had the short time for that. */
  public synchronized boolean isForgettable() {
    return isTcp() && brief && state == State.OPENING && requestCount == 0;
  }

  private boolean isTcp() {
    return protocol() == Protocol.TCP.ipNumber();
  }

  private int protocol() {
    return (int) (requestProtocolAndPorts >>> Integer.SIZE) & 0xff;
  }

  /** Its client has sent another packet: it no longer counts as half open. */
  public synchronized Effects hear() {
    saw(true);
    State before = state;
    long until = halfOpenUntil;
    halfOpenUntil = NOT_HALF_OPEN;
    if (before == State.OPENING) {
      state = State.OPEN;
    } else if (until == NOT_HALF_OPEN) {
      return Effects.NONE;
    }
    return new Effects(before, state, false, until, openedAtNanos, route);
  }

  /**
   * Its rules are restored, or those of an earlier run are taken over, so their counters may have
   * started from zero meanwhile: that they have counted nothing does not mean any more that its
   * client sent nothing. It still counts as half open.
   */
  public synchronized void countersBeginAnew() {
    if (state == State.OPENING) {
      state = State.OPEN;
    }
  }

  /** Whether its rules end after a shorter time than usual. */
  public boolean isBrief() {
    return brief;
  }

  public State state() {
    return state;
  }

  /** The paths; null while the connection has no rules, or before it is given any. */
  public @Nullable Route route() {
    return route;
  }

  /**
   * A new connection begins on the port of this one, which its client has ended, with its member
   * and its rules.
   */
  public synchronized Effects reopen(long nowNanos) {
    if (state != State.ENDED) {
      return Effects.NONE;
    }
    Effects effects =
        new Effects(State.ENDED, State.OPEN, true, NOT_HALF_OPEN, openedAtNanos, route);
    reactivated();
    openedAtNanos = nowNanos;
    return effects;
  }

  /** Enters {@link State#OPEN} from ENDED or DORMANT. */
  private void reactivated() {
    wasEnded = false;
    brief = false;
    spoilSample();
    inFlight = NOT_MEASURED;
    enter(State.OPEN);
  }

  /** Enters a state, and keeps the counts of its paths in step with it. */
  private void enter(State next) {
    boolean counted = state.counts();
    state = next;
    @Nullable Route paths = route;
    if (paths != null && counted != next.counts()) {
      count(paths, next.counts() ? 1 : -1);
    }
  }

  private void count(Route paths, int change) {
    if (!yieldsPaths) {
      paths.countActive(change);
    }
  }

  /**
   * It does not count on its paths any more: an FTP control connection whose first data connection
   * is about to count instead. It carries commands only, and would narrow the paths of its own data
   * connections.
   */
  public synchronized void yieldPaths() {
    @Nullable Route paths = route;
    if (!yieldsPaths && paths != null && state.counts()) {
      paths.countActive(-1);
    }
    yieldsPaths = true;
  }

  /** Replaces the paths, and moves the connection from the counts of the old to the new ones. */
  private @Nullable Route setRoute(@Nullable Route newRoute) {
    Route old = route;
    route = newRoute;
    boolean counts = state.counts();
    if (counts && newRoute != null) {
      count(newRoute, 1);
    }
    if (counts && old != null) {
      count(old, -1);
    }
    return old;
  }

  /** Its client has ended it. */
  public synchronized Effects end(long nowNanos) {
    @Nullable FlowSample learning = sample;
    if (!isOver() && learning != null) {
      learning.ended(nowNanos);
    }
    if (!state.counts()) {
      wasEnded |= !state.hasRules();
      return Effects.NONE;
    }
    if (endsBySilence) {
      return Effects.NONE;
    }
    State before = state;
    leftNanos = nowNanos;
    enter(State.ENDED);
    return new Effects(before, State.ENDED, false, NOT_HALF_OPEN, openedAtNanos, route);
  }

  /**
   * Its rules are in use, although its client has ended it, if that was before a time. From now on,
   * it ends with its rules.
   */
  public synchronized Effects goOnIfEndedBefore(long nanos) {
    if (state != State.ENDED || leftNanos - nanos >= 0) {
      return Effects.NONE;
    }
    endsBySilence = true;
    inFlight = NOT_MEASURED;
    enter(State.OPEN);
    return new Effects(State.ENDED, State.OPEN, true, NOT_HALF_OPEN, openedAtNanos, route);
  }

  /** Whether its client has ended it, in any state. */
  public synchronized boolean isOver() {
    return state == State.ENDED || wasEnded;
  }

  /** Whether its client has ended it, though its rules may still be there. */
  public boolean hasEnded() {
    return state == State.ENDED;
  }

  /** Whether the connection goes over one of these paths. */
  public boolean uses(Set<LabelledPath> paths) {
    @Nullable Route current = route;
    return current != null
        && (paths.contains(current.request()) || paths.contains(current.reply()));
  }

  /** Its rules have expired, or are lost. */
  public synchronized Effects expire(long nowNanos) {
    if (!state.hasRules()) {
      return Effects.NONE;
    }
    leftNanos = nowNanos;
    return leave(State.DORMANT);
  }

  /** The same for a connection that has rules on these paths. */
  public synchronized Effects expireOn(Route expected, long nowNanos) {
    return expected.equals(route) ? expire(nowNanos) : Effects.NONE;
  }

  /** Reactivates a dormant connection. */
  public synchronized Effects reactivate() {
    if (state != State.DORMANT) {
      return Effects.NONE;
    }
    Effects effects =
        new Effects(State.DORMANT, State.OPEN, wasEnded, NOT_HALF_OPEN, openedAtNanos, null);
    reactivated();
    return effects;
  }

  /** Closes the connection, in any state. */
  public synchronized Effects close() {
    return state == State.CLOSED ? Effects.NONE : leave(State.CLOSED);
  }

  /** Closes a connection that has rules on these paths. */
  public synchronized Effects closeOn(Route expected) {
    return expected.equals(route) ? leave(State.CLOSED) : Effects.NONE;
  }

  /** Whether its rules had expired at a time, and it has not gone on since. */
  public synchronized boolean wasDormantAt(long nanos) {
    return state == State.DORMANT && leftNanos - nanos < 0;
  }

  /** Closes a dormant connection. */
  public synchronized Effects forget() {
    return state == State.DORMANT ? leave(State.CLOSED) : Effects.NONE;
  }

  private Effects leave(State next) {
    State before = state;
    wasEnded |= before == State.ENDED;
    long until = halfOpenUntil;
    halfOpenUntil = NOT_HALF_OPEN;
    programmed = false;
    pending = List.of();
    enter(next);
    return new Effects(before, next, wasEnded, until, openedAtNanos, setRoute(null));
  }

  /**
   * Gives the connection its paths. Gives back those that it has no use for: the ones from before,
   * or these if it has no rules any more.
   */
  public synchronized @Nullable Route take(Route newRoute) {
    return state.hasRules() ? setRoute(newRoute) : newRoute;
  }

  /**
   * Leads the connection over other paths, and moves it from the counts of the old to the new ones;
   * false if it is not on the paths that it was thought to be on.
   *
   * @param nowNanos when its rules are changed, on the controller's monotonic clock
   */
  public synchronized boolean move(Route from, Route to, long nowNanos) {
    if (!from.equals(route)) {
      return false;
    }
    setRoute(to);
    programmedAtNanos = nowNanos;
    return true;
  }

  /**
   * Whether its rules are to be sent now: if it is to have any, and they were not sent within that
   * time. Switches need a moment until a rule takes effect; packets that come in the meantime must
   * not double the load.
   */
  public synchronized boolean program(long nowNanos, long withinNanos) {
    boolean due = state.hasRules() && (!programmed || nowNanos - programmedAtNanos >= withinNanos);
    if (due) {
      if (wasProgrammed) {
        spoilSample(); // the counters of restored rules start from zero
      }
      replicated = false;
      programmed = true;
      wasProgrammed = true;
      programmedAtNanos = nowNanos;
      requestCount = IN_USE;
      replyCount = IN_USE;
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
    boolean rests = relocatedAtNanos != NEVER && nowNanos - relocatedAtNanos < restNanos;
    if (state == State.CLOSED || isThere || rests) {
      return null;
    }
    Moved before = new Moved(client, server, setRoute(null), state.hasRules());
    client = newClient;
    server = newServer;
    relocatedAtNanos = nowNanos;
    programmed = false;
    spoilSample();
    return before;
  }

  /** Whether its rules were sent since it was opened. */
  public boolean isProgrammed() {
    return programmed;
  }

  /** The switch of its member has reported that its reply rule still exists. */
  public synchronized void seenAtMember(long nowNanos) {
    seenAtNanos = nowNanos;
  }

  /** When it last gave a sign: its rules were sent, or that of its replies was there. */
  public synchronized long lastSignNanos() {
    long sent = wasProgrammed ? programmedAtNanos : openedAtNanos;
    return sent - seenAtNanos > 0 ? sent : seenAtNanos;
  }

  /** What becomes of a packet that is to be sent on. */
  public enum Delivery {
    /** The paths are ready: it can be sent. */
    READY,
    /** It is kept until they are. */
    PENDING,
    /** Too many are kept already. */
    FULL
  }

  /** Keeps a packet until the paths are ready, unless they are. */
  public synchronized Delivery deliver(Packet packet) {
    @Nullable Route paths = route;
    if (paths != null && paths.isReady() && pending.isEmpty()) {
      return Delivery.READY;
    }
    if (pending.size() >= MAX_PENDING) {
      return Delivery.FULL;
    }
    if (pending.isEmpty()) {
      pending = new ArrayList<>(1);
    }
    pending.add(packet);
    return Delivery.PENDING;
  }

  /** The packets that were kept, oldest first; they are kept no more. */
  public synchronized List<Packet> takePending() {
    List<Packet> kept = pending;
    pending = List.of();
    return kept;
  }

  /** What the client's edge switch makes of packets to the VIP. */
  Translation requestTranslation(Route paths) {
    return new Translation(
        request(),
        requestAtMember(),
        null,
        labelOf(paths.request()),
        server.at(),
        out(paths.request().path(), client, server.at()));
  }

  /** What the member's edge switch makes of packets to the client. */
  Translation replyTranslation(Route paths) {
    FiveTuple request = request();
    return new Translation(
        reply(),
        request.reversed(),
        VipMac.of(request.dstAddress()),
        labelOf(paths.reply()),
        client,
        out(paths.reply().path(), server.at(), client));
  }

  /** What the edge switch of one direction makes of its packets. */
  Translation translation(Route paths, boolean isRequest) {
    return isRequest ? requestTranslation(paths) : replyTranslation(paths);
  }

  /** The switch with the rule of one direction. */
  public DatapathId edge(boolean isRequest) {
    return isRequest ? client.switchId() : server.at().switchId();
  }

  private static OFPort out(Path path, Attachment sender, Attachment receiver) {
    OFPort port = path.hops() == 0 ? receiver.port() : path.firstPort();
    return port.equals(sender.port()) ? OFPort.IN_PORT : port;
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
                request(),
                vipNumber,
                algorithm,
                server,
                client,
                phase(),
                Math.max(0, nowNanos - openedAtNanos),
                generation,
                shownRoute()));
  }

  /** How long ago its first packet came, or it was taken over from the switches. */
  public synchronized long ageNanos(long nowNanos) {
    return Math.max(0, nowNanos - openedAtNanos);
  }

  private Phase phase() {
    if (state == State.DORMANT) {
      return Phase.DORMANT;
    }
    return state == State.ENDED ? Phase.ENDED : Phase.OPEN;
  }

  private PlacedConnection.@Nullable Route shownRoute() {
    @Nullable Route paths = route;
    return paths == null ? null : paths.shown();
  }

  @Override
  public String toString() {
    return request() + " on member " + server.number();
  }
}
