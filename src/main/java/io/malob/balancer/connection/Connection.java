package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelledPath;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.U64;

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
public final class Connection extends ConnectionUse {
  /** The time in {@link Effects} of a connection that does not count as half open. */
  public static final long NOT_HALF_OPEN = Long.MIN_VALUE;

  /** For how long the rules of a replicated connection have been there, at least. */
  private static final long REPLICATED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The time of what has not happened. */
  private static final long NEVER = Long.MIN_VALUE;

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
      @Nullable Label label = path.packetLabel();
      return label == null ? null : label.mac();
    }

    void countActive(int change) {
      request.countActive(change);
      reply.countActive(change);
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

  /** Its member, and where that is attached. */
  private volatile Server server;

  /** Where its client is attached. */
  private volatile Attachment client;

  /** The MAC address that its member sends replies to; null until its rules need it. */
  private volatile @Nullable MacAddress replyMac;

  private long replyMacSinceNanos = NEVER;

  /** Whether its client has ended it. */
  private boolean isEnded;

  /** Until when it counts as half open. */
  private long halfOpenUntil = NOT_HALF_OPEN;

  /** When its client has ended it, or its rules have expired after that. */
  private long leftNanos;

  /** Whether its client ends it by silence only, because it has gone on after a FIN or RST. */
  private boolean endsBySilence;

  /** Whether it counts as a connection of another controller. */
  private volatile boolean isOfOther;

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
    super(request, vipNumber, algorithm, server, generation, nowNanos);
    this.server = server;
    this.client = client;
  }

  /** A dormant connection. */
  static Connection dormant(
      FiveTuple request, int vipNumber, Algorithm algorithm, int generation, Dormancy content) {
    Connection connection =
        new Connection(
            request,
            vipNumber,
            algorithm,
            content.server(),
            content.client(),
            generation,
            content.openedAtNanos());
    connection.state = State.DORMANT;
    connection.restore(content);
    connection.seenAtMember(content.sinceNanos()); // it had rules until then
    return connection;
  }

  /** What is to be kept of a dormant connection. */
  synchronized Dormancy dormancy() {
    return new Dormancy(
        server, client, isEnded, answered, openedAtNanos, leftNanos, relocatedAtNanos);
  }

  /** What another controller needs to know of it. */
  public synchronized Content content() {
    return new Content(
        state,
        isEnded && state != State.ENDED,
        answered,
        server,
        client,
        openedAtNanos,
        halfOpenUntil,
        brief,
        route());
  }

  /**
   * Takes over what another controller knows of it, whose switches have its rules. To be called
   * before it is in a table; one that is dormant enters that state there.
   *
   * @param nowNanos on the controller's monotonic clock
   */
  public synchronized void replicate(Content content, long nowNanos) {
    isOfOther = content.state.counts();
    state = content.state == State.DORMANT ? State.OPEN : content.state;
    isEnded = content.wasEnded || content.state == State.ENDED;
    answered = content.isAnswered;
    halfOpenUntil = content.halfOpenUntil;
    leftNanos = nowNanos;
    brief = content.isBrief;
    programmedByOther(nowNanos - REPLICATED_NANOS, nowNanos);
    setRoute(content.route);
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

  /** Brings a dormant connection up to date with what is kept of it. */
  synchronized void restore(Dormancy content) {
    server = content.server();
    client = content.client();
    isEnded = content.isEnded();
    answered = content.isAnswered();
    openedAtNanos = content.openedAtNanos();
    leftNanos = content.sinceNanos();
    relocatedAtNanos = content.relocatedAtNanos();
  }

  /** Whether others hold on to this object while it is dormant: its session, or its profile. */
  boolean isHeld() {
    return isToFtp() || isSampled();
  }

  public Server server() {
    return server;
  }

  public Attachment client() {
    return client;
  }

  /** The MAC address that its member sends replies to, as far as known; null if it has no rules. */
  public @Nullable MacAddress replyMac() {
    return replyMac;
  }

  /** Its rule for replies is about those to this MAC address. */
  public void setReplyMac(MacAddress mac) {
    replyMac = mac;
  }

  /**
   * Its member has sent a reply to this MAC address. Returns the one that its rule has been about,
   * if that is another and the rule is to change, which it does once in a while; null if not.
   */
  public @Nullable MacAddress changeReplyMac(MacAddress mac, long nowNanos, long restNanos) {
    @Nullable MacAddress before = replyMac;
    return before == null || before.equals(mac)
        ? null
        : changeReplyMac(before, mac, nowNanos, restNanos);
  }

  private synchronized @Nullable MacAddress changeReplyMac(
      MacAddress before, MacAddress mac, long nowNanos, long restNanos) {
    boolean rests = replyMacSinceNanos != NEVER && nowNanos - replyMacSinceNanos < restNanos;
    if (rests || !before.equals(replyMac)) {
      return null;
    }
    replyMacSinceNanos = nowNanos;
    replyMac = mac;
    return before;
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
    if (state != State.OPENING || route() != null || hasPending()) {
      return false;
    }
    halfOpenUntil = until;
    brief = isBrief;
    setRoute(ready);
    return true;
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
    return new Effects(before, state, false, until, openedAtNanos, route());
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
        new Effects(State.ENDED, State.OPEN, true, NOT_HALF_OPEN, openedAtNanos, route());
    reactivated();
    openedAtNanos = nowNanos;
    return effects;
  }

  /** Enters {@link State#OPEN} from ENDED or DORMANT. */
  private void reactivated() {
    isEnded = false;
    brief = false;
    spoilSample();
    inFlight = NOT_MEASURED;
    enter(State.OPEN);
  }

  /** Its client has ended it. */
  public synchronized Effects end(long nowNanos) {
    if (!isEnded) {
      sampleEnded(nowNanos);
    }
    if (state.counts() && endsBySilence) {
      return Effects.NONE;
    }
    isEnded = true;
    if (!state.counts()) {
      return Effects.NONE;
    }
    State before = state;
    leftNanos = nowNanos;
    enter(State.ENDED);
    return new Effects(before, State.ENDED, false, NOT_HALF_OPEN, openedAtNanos, route());
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
    isEnded = false;
    inFlight = NOT_MEASURED;
    enter(State.OPEN);
    return new Effects(State.ENDED, State.OPEN, true, NOT_HALF_OPEN, openedAtNanos, route());
  }

  /** Whether its client has ended it, in any state. */
  public synchronized boolean isEnded() {
    return isEnded;
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
    return expected.equals(route()) ? expire(nowNanos) : Effects.NONE;
  }

  /** Reactivates a dormant connection. */
  public synchronized Effects reactivate() {
    if (state != State.DORMANT) {
      return Effects.NONE;
    }
    Effects effects =
        new Effects(State.DORMANT, State.OPEN, isEnded, NOT_HALF_OPEN, openedAtNanos, null);
    reactivated();
    return effects;
  }

  /** Closes the connection, in any state. */
  public synchronized Effects close() {
    return state == State.CLOSED ? Effects.NONE : leave(State.CLOSED);
  }

  /** Closes a connection that has rules on these paths. */
  public synchronized Effects closeOn(Route expected) {
    return expected.equals(route()) ? leave(State.CLOSED) : Effects.NONE;
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
    long until = halfOpenUntil;
    halfOpenUntil = NOT_HALF_OPEN;
    programmed = false;
    dropPending();
    enter(next);
    return new Effects(before, next, isEnded, until, openedAtNanos, setRoute(null));
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

  /** The switch with the rule of one direction. */
  public DatapathId edge(boolean isRequest) {
    return isRequest ? client.switchId() : server.at().switchId();
  }

  /** The cookie of its rule of that kind. */
  public U64 cookie(CookieKind kind) {
    return Cookie.of(kind, vipNumber(), server.number(), generation());
  }

  /** As it is at this moment; empty if it is forgotten. */
  public synchronized Optional<PlacedConnection> shown(long nowNanos) {
    @Nullable Route paths = route();
    return state == State.CLOSED
        ? Optional.empty()
        : Optional.of(
            new PlacedConnection(
                request(),
                vipNumber(),
                algorithm(),
                server,
                client,
                phase(),
                Math.max(0, nowNanos - openedAtNanos),
                generation(),
                paths == null ? null : paths.shown()));
  }

  private Phase phase() {
    if (state == State.DORMANT) {
      return Phase.DORMANT;
    }
    return state == State.ENDED ? Phase.ENDED : Phase.OPEN;
  }

  @Override
  public String toString() {
    return request() + " on member " + server.number();
  }
}
