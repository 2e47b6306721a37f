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
import io.malob.balancer.proactive.Situation.Standing;
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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets of a VIP at one client edge: which member each leads to, and its moves. For one
 * thread at a time.
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

  private static final long PROPOSAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How much a new rate weighs against those before. */
  private static final double SMOOTHING = 0.2;

  /** How much a new rate weighs if it decides which buckets move: chance must not move them. */
  private static final double SIZE_SMOOTHING = 0.05;

  /** The part of the shares before that is left after a second of new proposals. */
  private static final double KEPT_PER_SECOND = 0.8;

  /** A share that differs by less than this part of a bucket does not move buckets. */
  private static final double MIN_CHANGE = 0.001;

  /** The part of the buckets that may move at a time for better shares. */
  private static final int MOVING_PART = 4;

  /** How long the buckets of a VIP that is reactive again tell where connections are. */
  private static final long REMEMBERED_NANOS = TimeUnit.HOURS.toNanos(1);

  /** How long a member may be absent before its buckets move. */
  private static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The same after a restart of the controller, which then has to find members first. */
  private static final long RESTART_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** At a lower rate, in packets per second, a bucket counts as empty. */
  private static final double MIN_RATE = 0.1;

  /** About the packets that a client sends in a short connection. */
  private static final double PACKETS_PER_CONNECTION = 4;

  /** Above this imbalance for a while, clients are too few to meet the shares. */
  private static final double MAX_IMBALANCE = 0.05;

  private static final long UNMET_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** In packets per second; with less traffic, the imbalance is chance. */
  private static final double MIN_TRAFFIC = 1;

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
  private final long moveNanos;
  private final long holdNanos;

  private State state = State.REACTIVE;
  private long sinceNanos;
  private long proposedAtNanos;
  private @Nullable BucketKey key;
  private Cell[] cells = new Cell[0];
  private Map<Integer, Double> shares = Map.of();

  /** The shares of the last assignment that could not be improved; empty if there is none. */
  private Map<Integer, Double> metShares = Map.of();

  /** The buckets of each member, by number; those that move count for the member after. */
  private ImmutableMap<Integer, Integer> byMember = ImmutableMap.of();

  /** The members that buckets lead to, or led to before they began to move. */
  private Set<Integer> inUse = Set.of();

  private @Nullable Situation seen;

  /** Whether the assignment or what was sent has changed since it was last programmed. */
  private boolean isDirty;

  /** When moves or the patience with absent members end next. */
  private long dueNanos;

  /** Whether rates of buckets were measured since the shares were last compared with them. */
  private boolean hasNewRates;

  /** Changes with all that is shown of the edge. */
  private long version;

  /** The imbalance of the assignment, by measured traffic. */
  private double imbalance;

  /** Since when the shares are not met although no bucket moves. */
  private long unmetSinceNanos;

  private boolean tooFewSources;

  /** The counters of the rules that count SYNs. */
  private final Map<Match, Long> syns = new HashMap<>();

  /** SYNs per second of each of these rules, between the latest two polls. */
  private final Map<Match, Double> synRates = new HashMap<>();

  private boolean isPublished;
  private boolean isRecovered;

  /** The labels in the rules of an earlier run. */
  private Set<Label> foundLabels = Set.of();

  /** Since when members of buckets are absent, or there is no path to them. */
  private final Map<Integer, Long> absentSince = new HashMap<>();

  EdgeBuckets(DatapathId switchId, Buckets buckets, LabelTable labels, Moves moves, long nowNanos) {
    this.switchId = switchId;
    this.buckets = buckets;
    this.leads = new Leads<>(labels);
    this.moves = moves;
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

  /** Whether packets that reach the controller may find their member here. */
  boolean isPublished() {
    return isPublished;
  }

  /** What an edge needs to send rules. */
  record Wire(ProgrammedSwitch sw, OFFactory factory, boolean matchesTcpFlags) {}

  /** Whether the algorithm is to propose new shares. */
  boolean isDue(Situation now) {
    boolean isNew = cells.length == 0 && shares.size() != now.candidates().size();
    return isNew || now.nowNanos() - proposedAtNanos >= PROPOSAL_NANOS;
  }

  /** When the algorithm last proposed shares. */
  long proposedAtNanos() {
    return proposedAtNanos;
  }

  /** A number that changes with all that is shown of the edge. */
  long version() {
    return version;
  }

  /**
   * Asks for what the VIP wants, one step at a time. Costs little if nothing has changed.
   *
   * @param source what the switch can read; empty if it can have no buckets
   * @param isTurn whether the algorithm proposes new shares now
   * @param hasRoom whether thousands of rules may change
   * @param isReady whether the members' sides are ready
   * @param pinExposed gives connections rules of their own that would reach another member
   */
  void advance(
      Situation now,
      Wire wire,
      BucketSource source,
      double[] open,
      double[] lifetimes,
      boolean isTurn,
      boolean hasRoom,
      boolean isReady,
      Runnable pinExposed) {
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
    if (isTurn) {
      propose(now, open, lifetimes);
    }
    if (state == State.PREPARING) {
      if (isReady && hasRoom) {
        prepare(now, wire, source, pinExposed);
      }
      return;
    }
    boolean hasOtherMembers = before == null || !now.hasMembersOf(before);
    isDirty |= leads.takeChanged() || hasOtherMembers || now.nowNanos() - dueNanos >= 0;
    if (isDirty) {
      metShares = Map.of();
      rescue(now);
      finishMoves(now);
    }
    if ((isTurn || hasOtherMembers) && hasRoom && isStable(now)) {
      grow(now, wire);
      rebalance(now);
    }
    if (isDirty) {
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
    sinceNanos = nowNanos;
    unmetSinceNanos = nowNanos;
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

  /** The members that buckets may move to. */
  private List<Server> reachable(Situation now) {
    return now.candidates().stream()
        .filter(server -> leads.find(server.number()).isPresent())
        .toList();
  }

  private void propose(Situation now, double[] open, double[] lifetimes) {
    double[] proposed = ShareSource.propose(now, switchId, open, lifetimes, bucketCount());
    double weight = 1 - Math.pow(KEPT_PER_SECOND, (now.nowNanos() - proposedAtNanos) / 1e9);
    proposedAtNanos = now.nowNanos();
    Map<Integer, Double> smoothed = new HashMap<>();
    double sum = 0;
    for (int index = 0; index < proposed.length; index++) {
      int number = now.candidates().get(index).number();
      @Nullable Double before = shares.get(number);
      double next =
          before == null || shares.size() != proposed.length
              ? proposed[index]
              : before + weight * (proposed[index] - before);
      smoothed.put(number, next);
      sum += next;
    }
    double total = sum;
    smoothed.replaceAll((number, share) -> total > 0 ? share / total : 0);
    shares = smoothed;
  }

  /** Whether shares differ so little from those that the assignment meets that no bucket moves. */
  private boolean areMet() {
    double change = MIN_CHANGE / cells.length;
    return metShares.keySet().equals(shares.keySet())
        && shares.entrySet().stream()
            .allMatch(
                each ->
                    Math.abs(each.getValue() - metShares.getOrDefault(each.getKey(), 0.0))
                        < change);
  }

  private int bucketCount() {
    return key == null ? BucketKey.MIN : key.count();
  }

  private double[] sharesOf(List<Server> servers) {
    double[] known =
        servers.stream().mapToDouble(server -> shares.getOrDefault(server.number(), 0.0)).toArray();
    double sum = Arrays.stream(known).sum();
    return Arrays.stream(known).map(share -> sum > 0 ? share / sum : 0).toArray();
  }

  private void prepare(Situation now, Wire wire, BucketSource source, Runnable pinExposed) {
    List<Server> servers = reachable(now);
    boolean isComplete =
        servers.size() == now.candidates().size() || now.nowNanos() - sinceNanos >= FIRST_NANOS;
    double[] wanted = sharesOf(servers);
    if (!isComplete || Arrays.stream(wanted).sum() == 0) {
      return;
    }
    int count = BucketCount.forShares(wanted);
    key = new BucketKey(source, count);
    int[] first = BucketAssignment.initial(wanted, count);
    cells = new Cell[count];
    for (int index = 0; index < count; index++) {
      Cell cell = new Cell();
      cell.member = servers.get(first[index]).number();
      cell.movedAtNanos = now.nowNanos();
      cells[index] = cell;
    }
    countMembers();
    become(State.PROACTIVE, now.nowNanos());
    publish(now);
    pinExposed.run();
    program(now, wire);
    wire.sw.then(wire.factory.barrierRequest()); // before packets are sent to the buckets
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
    if (current == null || current.count() == BucketCount.MAX || areMet() || moving() > 0) {
      return;
    }
    double[] wanted = sharesOf(reachable(now));
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
      cell.rate = coarse.rate * current.count() / count;
      cell.samples = coarse.samples;
      finer[index] = cell;
    }
    cells = finer;
    isDirty = true;
    key = new BucketKey(current.source(), count);
    publish(now);
    program(now, wire);
    wire.sw.then(wire.factory.barrierRequest());
    wire.sw.then(BucketRules.removeAll(wire.factory, now.traffic().vipNumber(), current));
  }

  private void rebalance(Situation now) {
    List<Server> servers = reachable(now);
    if (servers.isEmpty()) {
      return;
    }
    int moving = moving();
    boolean drains =
        byMember.keySet().stream().anyMatch(number -> now.standing(number) == Standing.DRAINING);
    boolean isSettled = !isDirty && !drains && moving == 0 && hasEqualBuckets();
    int changed = 0;
    if (!isSettled || !areMet()) {
      version++;
      int max = drains ? cells.length : Math.max(0, cells.length / MOVING_PART - moving);
      changed = reassign(now, servers, max, false);
      boolean isHeld = Arrays.stream(cells).anyMatch(cell -> cell.isMoving() || isHeld(now, cell));
      metShares = changed > 0 || isHeld ? Map.of() : shares;
      hasNewRates = true;
    }
    if (hasNewRates) {
      hasNewRates = false;
      version++;
      judge(now, servers, changed > 0 || moving > 0);
    }
  }

  /**
   * Whether it has no traffic while the shares cannot be met anyhow: to move it changes nothing.
   */
  private boolean isIdle(Cell cell) {
    return tooFewSources && cell.rate < MIN_RATE;
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
    double[] wanted = Arrays.copyOf(sharesOf(servers), indexOf.size());
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
                  || !(isHeld(now, cell) || isIdle(cell)));
    }
    int[] next = BucketAssignment.improve(current, wanted, sizes(), movable, maxMoves);
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

  /**
   * The sizes of buckets for an assignment. Ports spread each client's connections evenly, so that
   * those buckets are equal; a few long downloads must not move them. Addresses do not.
   */
  private double[] sizes() {
    boolean areEqual = hasEqualBuckets();
    return Arrays.stream(cells).mapToDouble(cell -> areEqual ? 1 : cell.rate).toArray();
  }

  private boolean hasEqualBuckets() {
    return key != null && key.source() == BucketSource.PORT;
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
    double[] wanted = Arrays.copyOf(sharesOf(servers), indexOf.size());
    double[] all = sizes();
    int[] active =
        IntStream.range(0, cells.length).filter(i -> cells[i].rate >= MIN_RATE).toArray();
    int[] assigned =
        Arrays.stream(active).map(i -> indexOf.getOrDefault(cells[i].member, 0)).toArray();
    double[] sizes = Arrays.stream(active).mapToDouble(i -> all[i]).toArray();
    // ports reach all buckets in time: only much traffic in few buckets tells anything
    double minTraffic = hasEqualBuckets() ? MIN_TRAFFIC * cells.length : MIN_TRAFFIC;
    imbalance =
        packetsPerSecond() > minTraffic ? BucketAssignment.imbalance(assigned, wanted, sizes) : 0;
    if (isChanging || imbalance <= MAX_IMBALANCE) {
      unmetSinceNanos = now.nowNanos();
    }
    boolean tooFew = now.nowNanos() - unmetSinceNanos >= UNMET_NANOS;
    if (tooFew && !tooFewSources) {
      LOG.warn(
          "too_few_sources vip={} switch={} imbalance={} busy={} buckets={} - too few buckets have"
              + " traffic to meet the shares of the members",
          now.plan().vip().id(),
          switchId,
          Math.round(imbalance * 100) / 100.0,
          active.length,
          cells.length);
    }
    tooFewSources = tooFew || (tooFewSources && (isChanging || imbalance > MAX_IMBALANCE / 2));
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
    leads.releaseReplaced();
  }

  private void program(Situation now, Wire wire, BucketKey current, int index) {
    Cell cell = cells[index];
    if (cell.isMoving()) {
      if (!cell.isSentMoving || cell.sentMember != cell.before) {
        watchEnds(now, wire, current, index);
        wire.sw.then(BucketRules.moving(wire.factory, now.traffic(), current, index, cell.before));
        sent(cell, null, cell.before, true, now.nowNanos());
      }
      return;
    }
    Optional<Lead> lead = leads.find(cell.member);
    if (lead.isEmpty() || lead.get().equals(cell.sent)) {
      return;
    }
    @Nullable Server server = lead.get().server();
    if (server == null) {
      return;
    }
    OFFlowAdd rule =
        BucketRules.toMember(
            wire.factory, now.traffic(), current, index, server, lead.get().label());
    boolean keepsCookie = !cell.isSentMoving && cell.sentMember == cell.member;
    wire.sw.then(keepsCookie ? ProgrammedSwitch.change(wire.factory, rule) : rule);
    sent(cell, lead.get(), cell.member, false, now.nowNanos());
  }

  /** Until connections that were placed during the move have ended or are idle. */
  private void watchEnds(Situation now, Wire wire, BucketKey current, int index) {
    if (wire.matchesTcpFlags && now.traffic().protocol().equals(IpProtocol.TCP)) {
      int seconds = 2 * buckets.timeouts().move() + ENDS_SECONDS;
      BucketRules.ends(wire.factory, now.traffic(), current, index, seconds).forEach(wire.sw::then);
    }
  }

  private static void sent(
      Cell cell, @Nullable Lead lead, int memberNumber, boolean isMoving, long nowNanos) {
    if (isMoving || cell.sentMember != memberNumber || cell.isSentMoving) {
      cell.packets = Cell.UNKNOWN;
    }
    cell.sent = lead;
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
      wire.sw.then(BucketRules.removeAll(wire.factory, vipNumber));
    }
    cells = new Cell[0];
    countMembers();
    key = null;
    shares = Map.of();
    metShares = Map.of();
    imbalance = 0;
    tooFewSources = false;
    syns.clear();
    synRates.clear();
    leads.retain(Set.of());
    leads.releaseReplaced();
  }

  /** Takes over the buckets that a switch was found to have. */
  void recover(RecoveredBuckets found, long nowNanos) {
    key = found.key();
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
   */
  boolean found(BucketCookie cookie, Optional<Label> label, Set<Integer> seen) {
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
                || label.equals(Optional.ofNullable(lead.label())));
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

  /** Has the rules sent again that the switch was found not to have. */
  void complete(Set<Integer> seen, long settledNanos) {
    for (int index = 0; index < cells.length; index++) {
      if (!seen.contains(index) && cells[index].sentAtNanos <= settledNanos) {
        cells[index].sent = null;
        cells[index].sentMember = 0;
        cells[index].isSentMoving = false;
        isDirty = true;
      }
    }
  }

  /** Takes over the counters of the buckets' rules. */
  void counted(int index, BucketKey of, int memberNumber, long packets, double seconds) {
    if (!of.equals(key) || cells[index].sentMember != memberNumber) {
      return;
    }
    Cell cell = cells[index];
    if (cell.isSentMoving) {
      return; // its connections have rules of their own: it counts few of their packets
    }
    long before = cell.packets;
    cell.packets = packets;
    if (before == Cell.UNKNOWN) {
      return;
    }
    long more = packets >= before ? packets - before : packets;
    cell.samples++;
    double smoothing = hasEqualBuckets() ? SMOOTHING : SIZE_SMOOTHING;
    // the first rates are averaged, so that buckets that were not read meanwhile compare with
    // others
    cell.rate +=
        Math.max(smoothing, 1.0 / cell.samples) * (more / Math.max(seconds, 0.1) - cell.rate);
    hasNewRates = true;
    version++;
  }

  /** Takes over the counter of a rule that counts SYNs. */
  void synsCounted(Match rule, long packets, double seconds) {
    @Nullable Long before = syns.put(rule, packets);
    if (before != null) {
      synRates.put(rule, Math.max(0, packets - before) / Math.max(seconds, 0.1));
    }
  }

  /**
   * Connections per second that clients attempt, by the SYNs if the switch counts them, or else
   * estimated.
   */
  double arrivalsPerSecond() {
    return syns.isEmpty()
        ? packetsPerSecond() / PACKETS_PER_CONNECTION
        : synRates.values().stream().mapToDouble(rate -> rate).sum();
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
    double[] loads = BucketAssignment.loads(assigned, indexOf.size(), sizes());
    Map<Integer, Double> byMember = new HashMap<>();
    indexOf.forEach((member, index) -> byMember.put(member, loads[index]));
    return byMember;
  }

  int moving() {
    return (int) Arrays.stream(cells).filter(Cell::isMoving).count();
  }

  double imbalance() {
    return imbalance;
  }

  boolean hasTooFewSources() {
    return tooFewSources;
  }

  Optional<BucketKey> key() {
    return Optional.ofNullable(key);
  }

  /** The shares that the algorithm proposes, by member number. */
  Map<Integer, Double> shares() {
    return Map.copyOf(shares);
  }

  double packetsPerSecond() {
    return Arrays.stream(cells).mapToDouble(cell -> cell.rate).sum();
  }
}
