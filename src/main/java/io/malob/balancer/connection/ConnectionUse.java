package io.malob.balancer.connection;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.label.LabelledPath;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a connection is used, as far as its packets and the ends of its rules tell: whether both ends
 * take part in it, when its rules were sent, and what is to be learnt from it. Also its paths while
 * it has rules, and the packets that wait for them. It counts on its paths in the states in which
 * it {@linkplain State#counts() counts}, unless it yields them.
 *
 * <p>This class and its neighbours are public although {@link Connection} is their only use: if
 * they were not, the compiler would give it a bridge for each of their methods, which enters the
 * lock once more.
 */
public abstract class ConnectionUse extends ConnectionIdentity {
  /** The number in flight of a connection from which no response time is to be learnt. */
  public static final short NOT_MEASURED = -1;

  /** How many packets may wait for the paths; a TCP client sends one SYN a second. */
  private static final int MAX_PENDING = 8;

  // how many packets a rule has counted
  private static final byte IN_USE = -2;
  private static final byte NOT_KNOWN = -1;
  private static final byte MANY = 2;

  volatile State state = State.OPENING;

  /** Whether both of its ends are known to take part in it. */
  boolean answered;

  /** What its rules have counted, if they have timed out since they were sent last. */
  private byte requestCount = IN_USE;

  private byte replyCount = IN_USE;

  /** Whether its rules end after a shorter time than usual. */
  volatile boolean brief;

  /** What is to be learnt from it; null for most. */
  private volatile @Nullable FlowSample sample;

  /**
   * How many others its member had when it was opened; {@link #NOT_MEASURED} unless its algorithm
   * needs that. A short has room in this object for free.
   */
  short inFlight = NOT_MEASURED;

  /** When its first packet came, or it was taken over from the switches. */
  long openedAtNanos;

  private volatile boolean replicated;

  volatile boolean programmed;
  private boolean wasProgrammed;
  long programmedAtNanos;
  private long seenAtNanos;

  private volatile @Nullable Route route;
  private List<Packet> pending = List.of();

  /** Whether it counts on its VIP and member only. */
  private boolean yieldsPaths;

  ConnectionUse(
      FiveTuple request,
      int vipNumber,
      Algorithm algorithm,
      Server server,
      int generation,
      long nowNanos) {
    super(request, vipNumber, algorithm, server, generation);
    openedAtNanos = nowNanos;
    seenAtNanos = nowNanos;
  }

  public State state() {
    return state;
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

  /** Its rules are on switches that another controller has prepared. */
  final void programmedByOther(long sinceNanos, long nowNanos) {
    replicated = true;
    programmed = true;
    wasProgrammed = true;
    programmedAtNanos = sinceNanos;
    seenAtNanos = nowNanos;
  }

  /**
   * Whether it is known from another controller alone: neither has this controller sent its rules
   * or followed its client, nor has it found its rule on the client's switch.
   */
  public boolean isReplicated() {
    return replicated;
  }

  /** Its rule has been found on its client's switch, or this controller has followed the client. */
  public void verified() {
    replicated = false;
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
  final void spoilSample() {
    @Nullable FlowSample learning = sample;
    if (learning != null) {
      learning.spoil();
      sample = null;
    }
  }

  /** Its client has ended it. */
  final void sampleEnded(long nowNanos) {
    @Nullable FlowSample learning = sample;
    if (learning != null) {
      learning.ended(nowNanos);
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

  /** How long ago its first packet came, or it was taken over from the switches. */
  public synchronized long ageNanos(long nowNanos) {
    return Math.max(0, nowNanos - openedAtNanos);
  }

  /** The paths; null while the connection has no rules, or before it is given any. */
  public @Nullable Route route() {
    return route;
  }

  /** Enters a state, and keeps the counts of its paths in step with it. */
  final void enter(State next) {
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
  final @Nullable Route setRoute(@Nullable Route newRoute) {
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

  /** Whether the connection goes over one of these paths. */
  public boolean uses(Set<LabelledPath> paths) {
    @Nullable Route current = route;
    return current != null
        && (paths.contains(current.request()) || paths.contains(current.reply()));
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

  final boolean hasPending() {
    return !pending.isEmpty();
  }

  /** Its packets that wait are dropped. */
  final void dropPending() {
    pending = List.of();
  }
}
