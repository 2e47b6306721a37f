package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.bucket.BucketAssignment;
import io.malob.algorithm.bucket.BucketCount;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.bucket.Bucket;
import io.malob.balancer.bucket.Bucket.Cause;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.proactive.Cell.Reroute;
import io.malob.balancer.proactive.Situation.Standing;
import io.malob.openflow.Onward;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets of a VIP at one client edge: which member each leads to, and its moves, so that they
 * meet the edge's {@link EdgeShares} with its {@link EdgeTraffic}. For one thread at a time.
 *
 * <p>A bucket whose member takes nothing any more moves at once. Any other move takes a while: the
 * bucket's packets go to the controller, which pins established connections to the member before by
 * rules of their own and places new ones on the member after ({@link Buckets#memberOf}). Then the
 * bucket leads to the member after.
 */
final class EdgeBuckets {
  private static final Logger LOG = LoggerFactory.getLogger(EdgeBuckets.class);

  /** How long the first assignment waits for members whose paths are not ready. */
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The part of the buckets that may move at a time for better shares. */
  private static final int MOVING_PART = 4;

  /** How long the buckets of a VIP that is reactive again tell where connections are. */
  private static final long REMEMBERED_NANOS = TimeUnit.HOURS.toNanos(1);

  /** How long a member may be absent before its buckets move. */
  private static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The same after a restart of the controller, which then has to find members first. */
  private static final long RESTART_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How long the ends of connections are told after a move, besides its own time. */
  private static final int ENDS_SECONDS = 30;

  /** The states of an edge. */
  enum State {
    /** All packets that open connections go to the controller. */
    REACTIVE,
    /** As before, while paths and the members' sides are prepared. */
    PREPARING,
    /** The switch has the buckets. */
    PROACTIVE,
    /** All buckets send their packets to the controller, before the edge becomes reactive. */
    LEAVING
  }

  private final DatapathId switchId;
  private final Buckets buckets;
  private final Leads<Integer> leads;
  private final Moves moves;
  private final Runnable pinExposed;
  private final EdgeShares shares = new EdgeShares();
  private final EdgeTraffic traffic = new EdgeTraffic();
  private final long moveNanos;
  private final long holdNanos;

  private State state = State.REACTIVE;
  private long sinceNanos;
  private @Nullable BucketKey key;

  /** The buckets that were split last, while the switch still has them; null if it has none. */
  private @Nullable BucketKey coarse;

  private Cell[] cells = new Cell[0];

  /** The buckets of each member, by number; those that move count for the member after. */
  private ImmutableMap<Integer, Integer> byMember = ImmutableMap.of();

  /** The members that buckets lead to, or led to before they began to move. */
  private Set<Integer> inUse = Set.of();

  /** The ports where paths to members begin. */
  private Set<OFPort> exits = Set.of();

  private @Nullable Situation seen;

  /** Whether the assignment or what was sent has changed since it was last programmed. */
  private boolean isDirty;

  /** Whether rules waited for their turn to change when they were last programmed. */
  private boolean isWaiting;

  /** When moves or the patience with absent members end next. */
  private long dueNanos;

  /** Changes with all that is shown of the edge. */
  private long version;

  private boolean isPublished;
  private boolean isRecovered;

  /** Whether the switch has had all buckets. */
  private boolean isConfirmed;

  /** The switches whose tables are full. */
  private Set<DatapathId> full = Set.of();

  /** The labels in the rules of an earlier run. */
  private Set<Label> foundLabels = Set.of();

  /** Since when members of buckets are absent, or there is no path to them. */
  private final Map<Integer, Long> absentSince = new HashMap<>();

  /**
   * An edge without buckets.
   *
   * @param pinExposed gives connections rules of their own that would reach another member
   */
  EdgeBuckets(
      DatapathId switchId,
      Buckets buckets,
      LabelTable labels,
      Moves moves,
      Runnable pinExposed,
      long nowNanos) {
    this.switchId = switchId;
    this.buckets = buckets;
    this.leads = new Leads<>(labels);
    this.moves = moves;
    this.pinExposed = pinExposed;
    this.moveNanos = TimeUnit.SECONDS.toNanos(buckets.timeouts().move());
    this.holdNanos = TimeUnit.SECONDS.toNanos(buckets.timeouts().hold());
    this.sinceNanos = nowNanos;
  }

  DatapathId switchId() {
    return switchId;
  }

  State state() {
    return state;
  }

  /** Whether the switch has rules of buckets. */
  boolean hasRules() {
    return state == State.PROACTIVE || state == State.LEAVING;
  }

  /** Whether the switch has had all buckets since the edge became proactive. */
  boolean isConfirmed() {
    return isConfirmed;
  }

  /** Whether packets that reach the controller may find their member here. */
  boolean isPublished() {
    return isPublished;
  }

  /** What an edge needs to send rules. */
  record Wire(ProgrammedSwitch sw, SwitchTables tables, boolean matchesTcpFlags) {
    OFFactory factory() {
      return tables.factory();
    }

    /** Whether rules that match TCP flags can lead to others: they need a second table. */
    boolean countsTcpFlags() {
      return matchesTcpFlags && !tables.isOne();
    }
  }

  /**
   * What an edge may do in one step.
   *
   * @param hasRoom whether thousands of rules may change
   * @param isReady whether the members' sides are ready
   * @param full the switches of the edge and its members whose tables are full
   */
  record Permission(boolean hasRoom, boolean isReady, Set<DatapathId> full) {}

  /** Whether the algorithm is to propose new shares. */
  boolean isDue(Situation now) {
    return shares.isDue(cells.length > 0, now.candidates().size(), now.nowNanos());
  }

  /** When the algorithm last proposed shares. */
  long proposedAtNanos() {
    return shares.proposedAtNanos();
  }

  /** A number that changes with all that is shown of the edge. */
  long version() {
    return version;
  }

  /**
   * Asks for what the VIP wants, one step at a time. Costs little if nothing has changed.
   *
   * @param source the part of packets that chooses a bucket
   * @param proposed the shares of the candidates that the algorithm proposes; null if it is not the
   *     edge's turn
   */
  void advance(
      Situation now,
      Wire wire,
      BucketSource source,
      double @Nullable [] proposed,
      Permission permission) {
    boolean isTurn = proposed != null;
    full = permission.full();
    isConfirmed |= state == State.PROACTIVE && wire.sw.isSettled();
    if (wire.sw.isSettled() && full.isEmpty()) {
      removeCoarse(now, wire);
    }
    if (state == State.LEAVING) {
      stay(now);
    }
    if (state == State.REACTIVE) {
      become(State.PREPARING, now.nowNanos());
    }
    @Nullable Situation before = seen;
    seen = now;
    boolean isOtherView = before == null || !now.hasViewOf(before);
    if (isOtherView || isTurn || isDirty || leads.hasPending()) {
      wantLeads(now);
    }
    if (proposed != null) {
      // a member without a path is proposed no share; if it has one soon, as while links are being
      // discovered after a restart, its buckets stay
      if (state == State.PREPARING || isStable(now)) {
        shares.propose(now.candidates(), proposed, now.nowNanos());
      } else {
        shares.keep(now.nowNanos());
      }
    }
    if (state == State.PREPARING) {
      if (permission.isReady() && permission.hasRoom()) {
        prepare(now, wire, source);
      }
      return;
    }
    boolean hasOtherMembers = before == null || !now.hasMembersOf(before);
    isDirty |= leads.takeChanged() || hasOtherMembers || now.nowNanos() - dueNanos >= 0;
    isDirty |= isWaiting && !hasWaiting();
    if (isDirty) {
      shares.setMet(false);
      rescue(now);
      finishMoves(now);
    }
    if ((isTurn || hasOtherMembers) && permission.hasRoom() && isStable(now)) {
      grow(now, wire);
      rebalance(now);
    }
    if (isDirty) {
      if (moving() > 0) {
        removeCoarse(now, wire); // they do not move
      }
      isDirty = false;
      version++;
      dueNanos = nextDue(now);
      countMembers();
      publish(now);
      program(now, wire);
    }
  }

  /** When moves or the patience with absent members end next; a long time ahead if never. */
  private long nextDue(Situation now) {
    long next = now.nowNanos() + REMEMBERED_NANOS;
    for (Cell cell : cells) {
      if (cell.isMoving()) {
        next = earlier(now, next, cell.movingSinceNanos + moveNanos);
      }
    }
    for (long since : absentSince.values()) {
      next = earlier(now, next, since + ABSENT_NANOS);
      next = earlier(now, next, Math.max(since + RESTART_NANOS, sinceNanos + RESTART_NANOS));
    }
    return next;
  }

  /** The earlier of two times, if it has not passed. */
  private static long earlier(Situation now, long next, long other) {
    return other - now.nowNanos() > 0 && other - next < 0 ? other : next;
  }

  private void become(State next, long nowNanos) {
    state = next;
    isConfirmed = false;
    sinceNanos = nowNanos;
    traffic.awaitBalance(nowNanos);
    isDirty = true;
    version++;
  }

  private void wantLeads(Situation now) {
    if (isDirty) {
      countMembers();
    }
    Set<Integer> wanted = new HashSet<>(inUse);
    now.candidates().forEach(server -> wanted.add(server.number()));
    Map<DatapathId, Optional<Path>> paths = new HashMap<>();
    for (int number : wanted) {
      @Nullable Server server = now.server(number);
      Optional<Path> path =
          server == null
              ? Optional.empty()
              // the path is the same to all members of a switch
              : paths.computeIfAbsent(server.at().switchId(), any -> pathTo(server, now));
      path.ifPresent(found -> leads.want(number, server, found));
      if (path.isPresent() && now.standing(number) != Standing.ABSENT) {
        absentSince.remove(number);
      } else if (absentSince.putIfAbsent(number, now.nowNanos()) == null) {
        isDirty = true; // their patience ends
      }
    }
    leads.retain(wanted);
    absentSince.keySet().retainAll(wanted);
  }

  private void countMembers() {
    Map<Integer, Integer> counts = new HashMap<>();
    Set<Integer> before = new HashSet<>();
    for (Cell cell : cells) {
      counts.merge(cell.member == 0 ? cell.before : cell.member, 1, Integer::sum);
      if (cell.isMoving()) {
        before.add(cell.before);
      }
    }
    byMember = ImmutableMap.copyOf(counts);
    before.addAll(counts.keySet());
    inUse = before;
  }

  private Optional<Path> pathTo(Server server, Situation now) {
    return now.plan().placer().placeOn(server, Placer.Request.from(switchId), now.network())
            instanceof Placement placement
        ? Optional.of(placement.requestPath())
        : Optional.empty();
  }

  /**
   * The members that buckets may move to. A switch whose table is full may lack the rules of
   * members that have no buckets yet.
   */
  private List<Server> reachable(Situation now) {
    return now.candidates().stream()
        .filter(server -> leads.find(server.number()).isPresent())
        .filter(
            server ->
                !full.contains(server.at().switchId()) || byMember.containsKey(server.number()))
        .toList();
  }

  /** The number of buckets that shares are for. */
  int bucketCount() {
    return key == null ? BucketKey.MIN : key.count();
  }

  private void prepare(Situation now, Wire wire, BucketSource source) {
    List<Server> servers = reachable(now);
    boolean isComplete =
        servers.size() == now.candidates().size() || now.nowNanos() - sinceNanos >= FIRST_NANOS;
    double[] wanted = shares.of(servers);
    if (!isComplete || Arrays.stream(wanted).sum() == 0) {
      return;
    }
    int count = BucketCount.forShares(wanted);
    BucketKey first = new BucketKey(source, count);
    key = first;
    traffic.begin(first);
    int[] assigned = BucketAssignment.initial(wanted, count);
    cells = new Cell[count];
    for (int index = 0; index < count; index++) {
      Cell cell = new Cell();
      cell.member = servers.get(assigned[index]).number();
      cell.movedAtNanos = now.nowNanos();
      cells[index] = cell;
    }
    countMembers();
    become(State.PROACTIVE, now.nowNanos());
    publish(now);
    pinExposed.run();
    program(now, wire);
    wire.sw.then(wire.factory().barrierRequest()); // before packets are sent to the buckets
    LOG.info(
        "edge_proactive vip={} switch={} buckets={} source={}",
        now.plan().vip().id(),
        switchId,
        count,
        source.text());
  }

  /** Moves the buckets at once whose members take nothing any more. */
  private void rescue(Situation now) {
    List<Server> servers = reachable(now);
    boolean isHit = false;
    for (Cell cell : cells) {
      if (cell.isMoving() && isLost(cell.before, now)) {
        cell.before = 0;
        cell.movedAtNanos = now.nowNanos();
      }
      isHit |= isLost(cell.member, now);
    }
    if (isHit && !servers.isEmpty()) {
      reassign(now, servers, 0, true);
    }
  }

  private boolean isLost(int memberNumber, Situation now) {
    if (now.standing(memberNumber) == Standing.DEAD) {
      return true;
    }
    @Nullable Long since = absentSince.get(memberNumber);
    long patience =
        isRecovered && now.nowNanos() - sinceNanos < RESTART_NANOS ? RESTART_NANOS : ABSENT_NANOS;
    return since != null && now.nowNanos() - since >= patience;
  }

  /** Whether the shares are those of all members that will soon take connections. */
  private boolean isStable(Situation now) {
    for (Server server : now.candidates()) {
      if (leads.find(server.number()).isEmpty() && !isLost(server.number(), now)) {
        return false;
      }
    }
    return byMember.keySet().stream()
        .noneMatch(number -> now.standing(number) == Standing.ABSENT && !isLost(number, now));
  }

  private void finishMoves(Situation now) {
    for (Cell cell : cells) {
      if (cell.isMoving()
          && cell.member != 0
          && now.nowNanos() - cell.movingSinceNanos >= moveNanos
          && leads.find(cell.member).isPresent()) {
        cell.before = 0;
        cell.movedAtNanos = now.nowNanos();
      }
    }
  }

  /** Doubles the number of buckets if the shares need that: each splits into two. */
  private void grow(Situation now, Wire wire) {
    @Nullable BucketKey current = key;
    if (current == null
        || current.count() == BucketCount.MAX
        || !full.isEmpty()
        || shares.areMet(cells.length)
        || moving() > 0) {
      return;
    }
    double[] wanted = shares.of(reachable(now));
    int count = wanted.length == 0 ? 0 : BucketCount.forShares(wanted);
    if (count <= current.count()) {
      return;
    }
    Cell[] finer = new Cell[count];
    for (int index = 0; index < count; index++) {
      Cell coarse = cells[index & (current.count() - 1)];
      Cell cell = new Cell();
      cell.member = coarse.member;
      cell.cause = coarse.cause;
      cell.movedAtNanos = coarse.movedAtNanos;
      finer[index] = cell;
    }
    cells = finer;
    traffic.split(count);
    isDirty = true;
    key = new BucketKey(current.source(), count);
    publish(now);
    program(now, wire);
    coarse = current;
  }

  /** The switch has the finer buckets, or the coarser ones must lead no more packets. */
  private void removeCoarse(Situation now, Wire wire) {
    @Nullable BucketKey before = coarse;
    if (before != null) {
      coarse = null;
      wire.sw.then(BucketRules.removeAll(wire.factory(), now.traffic().vipNumber(), before));
    }
  }

  private void rebalance(Situation now) {
    List<Server> servers = reachable(now);
    if (servers.isEmpty()) {
      return;
    }
    int moving = moving();
    boolean drains =
        byMember.keySet().stream().anyMatch(number -> now.standing(number) == Standing.DRAINING);
    boolean isSettled = !isDirty && !drains && moving == 0 && traffic.hasEqualBuckets();
    boolean isJudged = traffic.takeNewRates();
    int changed = 0;
    // connections of a bucket that moves need rules of their own
    boolean mayMove = drains || (full.isEmpty() && coarse == null);
    if (mayMove && (!isSettled || !shares.areMet(cells.length))) {
      int max = drains ? cells.length : Math.max(0, cells.length / MOVING_PART - moving);
      changed = reassign(now, servers, max, false);
      boolean isHeld = Arrays.stream(cells).anyMatch(cell -> cell.isMoving() || isHeld(now, cell));
      shares.setMet(changed == 0 && !isHeld);
      isJudged = true;
    }
    if (isJudged) {
      version++;
      judge(now, servers, changed > 0 || moving > 0);
    }
  }

  /** Whether a bucket rests after a move. */
  private boolean isHeld(Situation now, Cell cell) {
    return cell.cause != Cause.FIRST && now.nowNanos() - cell.movedAtNanos < holdNanos;
  }

  /**
   * Assigns buckets anew with as few moves as possible; returns the number of moves.
   *
   * @param onlyLost whether only buckets of lost members may move
   */
  private int reassign(Situation now, List<Server> servers, int maxMoves, boolean onlyLost) {
    Map<Integer, Integer> indexOf = indexes(servers);
    double[] wanted = Arrays.copyOf(shares.of(servers), indexOf.size());
    if (Arrays.stream(wanted).sum() == 0) {
      Arrays.fill(wanted, 0, servers.size(), 1.0 / servers.size());
    }
    int[] current = new int[cells.length];
    boolean[] movable = new boolean[cells.length];
    for (int index = 0; index < cells.length; index++) {
      Cell cell = cells[index];
      current[index] =
          isLost(cell.member, now)
              ? BucketAssignment.NONE
              : indexOf.getOrDefault(cell.member, BucketAssignment.NONE);
      movable[index] =
          !onlyLost
              && !cell.isMoving()
              && (now.standing(cell.member) == Standing.DRAINING
                  || !(isHeld(now, cell) || traffic.isIdle(index)));
    }
    int[] next = BucketAssignment.improve(current, wanted, traffic.sizes(), movable, maxMoves);
    int changed = 0;
    for (int index = 0; index < cells.length; index++) {
      if (next[index] != current[index]) {
        move(now, cells[index], servers.get(next[index]).number());
        changed++;
      }
    }
    return changed;
  }

  /** The members of buckets by index: those that take new connections, then the others. */
  private Map<Integer, Integer> indexes(List<Server> servers) {
    Map<Integer, Integer> indexOf = new LinkedHashMap<>();
    servers.forEach(server -> indexOf.put(server.number(), indexOf.size()));
    for (Cell cell : cells) {
      indexOf.putIfAbsent(cell.member, indexOf.size());
    }
    return indexOf;
  }

  private void move(Situation now, Cell cell, int memberNumber) {
    int from = cell.member;
    boolean wasLost = isLost(from, now);
    cell.cause =
        wasLost
            ? Cause.DEAD
            : now.standing(from) == Standing.DRAINING ? Cause.DRAINED : Cause.SHARES;
    isDirty = true;
    moves.add(switchId, from, memberNumber, cell.cause, now.nowNanos());
    cell.member = memberNumber;
    if (wasLost) {
      cell.movedAtNanos = now.nowNanos();
    } else {
      cell.before = from;
      cell.movingSinceNanos = now.nowNanos();
    }
  }

  /** Finds out whether the buckets that have traffic can meet the shares. */
  private void judge(Situation now, List<Server> servers, boolean isChanging) {
    Map<Integer, Integer> indexOf = indexes(servers);
    double[] wanted = Arrays.copyOf(shares.of(servers), indexOf.size());
    int[] assigned =
        Arrays.stream(cells).mapToInt(cell -> indexOf.getOrDefault(cell.member, 0)).toArray();
    if (traffic.judge(assigned, wanted, isChanging, now.nowNanos())) {
      LOG.warn(
          "too_few_sources vip={} switch={} imbalance={} busy={} buckets={} - too few buckets have"
              + " traffic to meet the shares of the members",
          now.plan().vip().id(),
          switchId,
          Math.round(traffic.imbalance() * 100) / 100.0,
          traffic.active().length,
          cells.length);
    }
  }

  /** Makes the buckets known to the threads that read from switches, before the switch. */
  private void publish(Situation now) {
    @Nullable BucketKey current = key;
    if (current == null) {
      return;
    }
    ImmutableList.Builder<Bucket> all = ImmutableList.builderWithExpectedSize(cells.length);
    Map<Bucket, Bucket> shared = new HashMap<>();
    for (Cell cell : cells) {
      @Nullable Server member = cell.member == 0 ? null : now.server(cell.member);
      @Nullable Server before = cell.before == 0 ? null : now.server(cell.before);
      long sinceNanos = before == null ? cell.movedAtNanos : cell.movingSinceNanos;
      Bucket bucket = new Bucket(member, before, cell.cause, sinceNanos);
      @Nullable Bucket equal = shared.putIfAbsent(bucket, bucket);
      all.add(equal == null ? bucket : equal);
    }
    BucketTable table = new BucketTable(current, all.build(), true);
    if (!table.equals(buckets.find(now.traffic().vipNumber(), switchId))) {
      buckets.publish(now.traffic().vipNumber(), switchId, table);
    }
    isPublished = true;
  }

  /** Sends the rules of buckets that have changed. */
  private void program(Situation now, Wire wire) {
    @Nullable BucketKey current = key;
    if (current == null) {
      return;
    }
    for (int index = 0; index < cells.length; index++) {
      program(now, wire, current, index);
    }
    isWaiting = hasWaiting();
    if (!isWaiting) {
      leads.releaseReplaced();
    }
    exits = leads.ports();
    if (isWaiting) {
      Arrays.stream(cells).flatMap(cell -> cell.sentPort.stream()).forEach(exits::add);
    }
  }

  private boolean hasWaiting() {
    return Arrays.stream(cells).anyMatch(cell -> cell.waiting != null);
  }

  private void program(Situation now, Wire wire, BucketKey current, int index) {
    Cell cell = cells[index];
    if (cell.isMoving()) {
      if (!cell.isSentMoving || cell.sentMember != cell.before) {
        watchEnds(now, wire, current, index);
        wire.sw.then(BucketRules.moving(wire.tables, now.traffic(), current, index, cell.before));
        sent(index, null, Optional.empty(), cell.before, true, now.nowNanos());
      }
      return;
    }
    Optional<Lead> lead = leads.find(cell.member);
    @Nullable Server server = lead.isEmpty() ? null : lead.get().server();
    if (lead.isEmpty() || server == null) {
      return;
    }
    Onward next = lead.get().onward(server.at());
    Optional<OFPort> port = wire.tables.namedPort(next);
    if (lead.get().equals(cell.sent) && port.equals(cell.sentPort)) {
      cell.waiting = null;
      return;
    }
    OFFlowAdd rule = BucketRules.toMember(wire.tables, now.traffic(), current, index, server, next);
    boolean keepsCookie = !cell.isSentMoving && cell.sentMember == cell.member;
    OFMessage message = keepsCookie ? ProgrammedSwitch.change(wire.factory(), rule) : rule;
    if (keepsCookie && wire.tables.isOne() && cell.sent != null && cell.sent.isTo(server)) {
      boolean isQueued = cell.waiting != null;
      cell.waiting = new Reroute(lead.get(), port, message);
      if (!isQueued) {
        wire.sw.pace(cell::takeTurn);
      }
      return;
    }
    wire.sw.then(message);
    sent(index, lead.get(), port, cell.member, false, now.nowNanos());
  }

  /** Until connections that were placed during the move have ended or are idle. */
  private void watchEnds(Situation now, Wire wire, BucketKey current, int index) {
    if (wire.countsTcpFlags() && now.traffic().protocol().equals(IpProtocol.TCP)) {
      int seconds = 2 * buckets.timeouts().move() + ENDS_SECONDS;
      BucketRules.ends(wire.factory(), now.traffic(), current, index, seconds)
          .forEach(wire.sw::then);
    }
  }

  private void sent(
      int index,
      @Nullable Lead lead,
      Optional<OFPort> port,
      int memberNumber,
      boolean isMoving,
      long nowNanos) {
    Cell cell = cells[index];
    if (isMoving || cell.sentMember != memberNumber || cell.isSentMoving) {
      traffic.replaced(index);
    }
    cell.waiting = null;
    cell.sent = lead;
    cell.sentPort = port;
    cell.sentMember = memberNumber;
    cell.isSentMoving = isMoving;
    cell.sentAtNanos = nowNanos;
  }

  /**
   * Goes back to reactive placement, one step at a time.
   *
   * @param hasRoom whether thousands of rules may change
   */
  void leave(Situation now, Wire wire, boolean hasRoom) {
    switch (state) {
      case REACTIVE -> forgetInTime(now);
      case PREPARING -> {
        leads.retain(Set.of());
        leads.releaseReplaced();
        become(State.REACTIVE, now.nowNanos());
      }
      case PROACTIVE -> {
        if (!hasRoom || awaitsMembers(now)) {
          return;
        }
        for (Cell cell : cells) {
          cell.before = cell.before != 0 ? cell.before : cell.member;
          cell.member = 0;
          cell.movingSinceNanos = now.nowNanos();
        }
        become(State.LEAVING, now.nowNanos());
        publish(now);
        program(now, wire);
      }
      case LEAVING -> {
        if (now.nowNanos() - sinceNanos >= moveNanos) {
          end(now, wire);
        }
      }
    }
  }

  /** Whether members are not located yet, after a restart: until then, no packet can be pinned. */
  private boolean awaitsMembers(Situation now) {
    return isRecovered
        && now.nowNanos() - sinceNanos < RESTART_NANOS
        && Arrays.stream(cells)
            .anyMatch(
                cell ->
                    now.standing(cell.member) != Standing.DEAD && now.server(cell.member) == null);
  }

  /** The VIP is to stay proactive after all. */
  private void stay(Situation now) {
    for (Cell cell : cells) {
      cell.member = cell.before;
      cell.before = 0;
      cell.movedAtNanos = now.nowNanos();
    }
    become(State.PROACTIVE, now.nowNanos());
  }

  private void end(Situation now, Wire wire) {
    @Nullable BucketKey current = key;
    if (current != null) {
      ImmutableList<Bucket> last =
          Arrays.stream(cells)
              .map(
                  cell ->
                      new Bucket(null, now.server(cell.before), cell.cause, cell.movingSinceNanos))
              .collect(ImmutableList.toImmutableList());
      buckets.publish(now.traffic().vipNumber(), switchId, new BucketTable(current, last, false));
    }
    remove(now.traffic().vipNumber(), wire);
    become(State.REACTIVE, now.nowNanos());
    LOG.info("edge_reactive vip={} switch={}", now.plan().vip().id(), switchId);
  }

  private void forgetInTime(Situation now) {
    if (isPublished && now.nowNanos() - sinceNanos >= REMEMBERED_NANOS) {
      buckets.forget(now.traffic().vipNumber(), switchId);
      isPublished = false;
    }
  }

  /** Removes the rules of the buckets, and all state but what is published. */
  void remove(int vipNumber, @Nullable Wire wire) {
    if (wire != null) {
      wire.sw.then(BucketRules.removeAll(wire.factory(), vipNumber));
    }
    Arrays.stream(cells).forEach(cell -> cell.waiting = null);
    cells = new Cell[0];
    countMembers();
    key = null;
    coarse = null;
    shares.clear();
    traffic.clear();
    leads.retain(Set.of());
    leads.releaseReplaced();
  }

  /** Takes over the buckets that a switch was found to have. */
  void recover(RecoveredBuckets found, long nowNanos) {
    key = found.key();
    traffic.begin(found.key());
    cells = new Cell[found.key().count()];
    for (int index = 0; index < cells.length; index++) {
      BucketCookie cookie = found.cookie(index);
      Cell cell = new Cell();
      cell.member = cookie.memberNumber();
      cell.cause = Cause.FOUND;
      cell.sentMember = cookie.memberNumber();
      cell.isSentMoving = cookie.isMoving();
      cell.sentAtNanos = nowNanos;
      cell.movedAtNanos = nowNanos;
      if (cookie.isMoving()) {
        // where it was to move is not known: it stays, after another while of pinning
        cell.before = cookie.memberNumber();
        cell.movingSinceNanos = nowNanos;
      }
      cells[index] = cell;
    }
    countMembers();
    isRecovered = true;
    seen = null;
    foundLabels = Set.copyOf(found.labels());
    become(State.PROACTIVE, nowNanos);
  }

  /**
   * The switch was found to have a bucket; false if it is to be removed.
   *
   * @param label the label in the rule
   * @param out the port in the rule
   */
  boolean found(
      BucketCookie cookie, Optional<Label> label, Optional<OFPort> out, Set<Integer> seen) {
    if (hasRules() && cookie.key().equals(coarse)) {
      return true;
    }
    if (!hasRules() || !cookie.key().equals(key)) {
      return false;
    }
    Cell cell = cells[cookie.index()];
    @Nullable Lead lead = cell.sent;
    boolean isAsSent =
        cookie.isMoving() == cell.isSentMoving
            && cookie.memberNumber() == cell.sentMember
            && (cell.isSentMoving
                || lead == null
                || (label.equals(Optional.ofNullable(lead.label())) && out.equals(cell.sentPort)));
    if (isAsSent) {
      seen.add(cookie.index());
    }
    return true;
  }

  /** Whether a rule of an earlier run that is not replaced yet uses a label. */
  boolean usesFoundLabel(Label label) {
    return foundLabels.contains(label)
        && Arrays.stream(cells).anyMatch(cell -> cell.sent == null && !cell.isSentMoving);
  }

  /** The switch is away. What waits for its turn is sent, as all others, when it is back. */
  void disconnected() {
    Arrays.stream(cells).forEach(cell -> cell.takeTurn(cell.sentAtNanos));
  }

  /** Has the rules sent again that the switch was found not to have; whether it had all. */
  boolean complete(Set<Integer> seen, long settledNanos) {
    boolean hasAll = true;
    for (int index = 0; index < cells.length; index++) {
      if (!seen.contains(index) && cells[index].sentAtNanos <= settledNanos) {
        cells[index].waiting = null;
        cells[index].sent = null;
        cells[index].sentMember = 0;
        cells[index].isSentMoving = false;
        isDirty = true;
        hasAll = false;
      }
    }
    return hasAll;
  }

  /** Takes over the counters of the buckets' rules. */
  void counted(int index, BucketKey of, int memberNumber, long packets, double seconds) {
    if (!of.equals(key) || cells[index].sentMember != memberNumber) {
      return;
    }
    if (cells[index].isSentMoving) {
      return; // its connections have rules of their own: it counts few of their packets
    }
    traffic.counted(index, packets, seconds);
    version++;
  }

  /** The buckets of each member, by number; those that move count for the member after. */
  ImmutableMap<Integer, Integer> byMember() {
    return byMember;
  }

  /** The part of the traffic that each member gets, by number, counted as above. */
  Map<Integer, Double> loads() {
    if (cells.length == 0) {
      return Map.of();
    }
    Map<Integer, Integer> indexOf = new LinkedHashMap<>();
    int[] assigned = new int[cells.length];
    for (int index = 0; index < cells.length; index++) {
      Cell cell = cells[index];
      int member = cell.member == 0 ? cell.before : cell.member;
      indexOf.putIfAbsent(member, indexOf.size());
      assigned[index] = indexOf.get(member);
    }
    double[] loads = BucketAssignment.loads(assigned, indexOf.size(), traffic.sizes());
    Map<Integer, Double> byMember = new HashMap<>();
    indexOf.forEach((member, index) -> byMember.put(member, loads[index]));
    return byMember;
  }

  /** The ports where paths to members begin. */
  Set<OFPort> exits() {
    return exits;
  }

  int moving() {
    return (int) Arrays.stream(cells).filter(Cell::isMoving).count();
  }

  EdgeTraffic traffic() {
    return traffic;
  }

  Optional<BucketKey> key() {
    return Optional.ofNullable(key);
  }

  /** The shares that the algorithm proposes, by member number. */
  Map<Integer, Double> shares() {
    return shares.byMember();
  }
}
