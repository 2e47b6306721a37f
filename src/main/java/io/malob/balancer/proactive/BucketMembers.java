package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Server;
import io.malob.algorithm.bucket.BucketAssignment;
import io.malob.balancer.bucket.Bucket;
import io.malob.balancer.bucket.Bucket.Cause;
import io.malob.balancer.bucket.Buckets.Timeouts;
import io.malob.balancer.proactive.BucketInput.Standing;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members that the buckets of a VIP lead to at one client edge, and the buckets' moves, so that
 * they meet the edge's {@link EdgeShares} with its {@link EdgeTraffic}. For one thread at a time.
 */
final class BucketMembers {
  private static final Logger LOG = LoggerFactory.getLogger(BucketMembers.class);

  /** The part of the buckets that may move at a time for better shares. */
  private static final int MOVING_PART = 4;

  /** How long a bucket of a tracked VIP rests after a move, which costs one rule. */
  private static final long TRACKED_HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DatapathId switchId;
  private final EdgeShares shares;
  private final EdgeTraffic traffic;
  private final Absences absences;
  private final Moves moves;
  private final long moveNanos;
  private final long holdNanos;
  private final boolean isTracked;

  private Cell[] cells = new Cell[0];

  private ImmutableMap<Integer, Integer> byMember = ImmutableMap.of();

  private Set<Integer> inUse = Set.of();

  private long version;

  BucketMembers(
      DatapathId switchId,
      EdgeShares shares,
      EdgeTraffic traffic,
      Absences absences,
      Moves moves,
      Timeouts timeouts,
      boolean isTracked) {
    this.switchId = switchId;
    this.shares = shares;
    this.traffic = traffic;
    this.absences = absences;
    this.moves = moves;
    this.moveNanos = TimeUnit.SECONDS.toNanos(timeouts.move());
    this.holdNanos = isTracked ? TRACKED_HOLD_NANOS : TimeUnit.SECONDS.toNanos(timeouts.hold());
    this.isTracked = isTracked;
  }

  /** The buckets, in their order. */
  List<Cell> cells() {
    return List.of(cells);
  }

  int size() {
    return cells.length;
  }

  /** Assigns members to all buckets for the first time. */
  void begin(int[] memberNumbers, long nowNanos) {
    cells =
        Arrays.stream(memberNumbers)
            .mapToObj(number -> new Cell(number, nowNanos))
            .toArray(Cell[]::new);
    count();
  }

  /**
   * Assigns the members of another edge's buckets, which may be moving.
   *
   * @param servers the members that this edge reaches
   */
  void begin(BucketMembers other, BucketInput now, List<Server> servers) {
    Set<Integer> reached = numbers(servers);
    cells = new Cell[other.cells.length];
    for (int index = 0; index < cells.length; index++) {
      Cell like = other.cells[index];
      boolean takes =
          reached.contains(like.member) || now.standing(like.member) == Standing.DRAINING;
      int member = takes ? like.member : servers.get(index % servers.size()).number();
      cells[index] = new Cell(member, like.movedAtNanos);
      cells[index].cause = like.cause;
      if (takes && like.isMoving()) {
        cells[index].before = like.before;
        cells[index].movingSinceNanos = like.movingSinceNanos;
      }
    }
    count();
  }

  private static Set<Integer> numbers(List<Server> servers) {
    return servers.stream().map(Server::number).collect(Collectors.toSet());
  }

  /** Takes over the buckets that a switch was found to have. */
  void recover(RecoveredBuckets found, long nowNanos) {
    begin(
        IntStream.range(0, found.key().count())
            .map(index -> found.cookie(index).memberNumber())
            .toArray(),
        nowNanos);
    for (int index = 0; index < cells.length; index++) {
      cells[index].cause = Cause.FOUND;
      if (found.cookie(index).isMoving()) {
        // where it was to move is not known: it stays, after another while of pinning
        cells[index].move(cells[index].member, nowNanos);
      }
    }
    count();
  }

  /** Each bucket splits into equal parts. */
  void split(int newSize) {
    Cell[] finer = new Cell[newSize];
    for (int index = 0; index < newSize; index++) {
      Cell coarse = cells[index & (cells.length - 1)];
      finer[index] = new Cell(coarse.member, coarse.movedAtNanos);
      finer[index].cause = coarse.cause;
    }
    cells = finer;
  }

  void clear() {
    cells = new Cell[0];
    count();
  }

  /** Counts the buckets of members, after moves. */
  void count() {
    Map<Integer, Integer> counts = new HashMap<>();
    Set<Integer> before = new HashSet<>();
    for (Cell cell : cells) {
      counts.merge(cell.latest(), 1, Integer::sum);
      if (cell.isMoving()) {
        before.add(cell.before);
      }
    }
    version++;
    byMember = ImmutableMap.copyOf(counts);
    before.addAll(counts.keySet());
    inUse = before;
  }

  /** A number that changes with each change of a bucket. */
  long version() {
    return version;
  }

  /** The buckets of each member, by number; those that move count for the member after. */
  ImmutableMap<Integer, Integer> byMember() {
    return byMember;
  }

  /** The members that buckets lead to, or led to before they began to move. */
  Set<Integer> inUse() {
    return inUse;
  }

  int moving() {
    return (int) Arrays.stream(cells).filter(Cell::isMoving).count();
  }

  /** Moves the buckets at once whose members take nothing any more. */
  void rescue(BucketInput now, List<Server> servers) {
    boolean isHit = false;
    for (Cell cell : cells) {
      if (cell.isMoving() && absences.isLost(now, cell.before)) {
        cell.settle(now.nowNanos());
      }
      isHit |= absences.isLost(now, cell.member);
    }
    if (isHit && !servers.isEmpty()) {
      reassign(now, servers, 0, true);
    }
  }

  /** Ends the moves that have taken their time, if there is a lead to the member after. */
  void finishMoves(BucketInput now, IntPredicate isReady) {
    for (Cell cell : cells) {
      if (cell.isMoving()
          && cell.member != 0
          && now.nowNanos() - cell.movingSinceNanos >= moveNanos
          && isReady.test(cell.member)) {
        cell.settle(now.nowNanos());
      }
    }
  }

  /** The times at which moves end. */
  LongStream ends() {
    return Arrays.stream(cells)
        .filter(Cell::isMoving)
        .mapToLong(cell -> cell.movingSinceNanos + moveNanos);
  }

  /**
   * Moves buckets so that they meet the shares better; returns how many.
   *
   * @param drains whether members take no new connections any more
   */
  int improve(BucketInput now, List<Server> servers, boolean drains) {
    int max = drains ? cells.length : Math.max(0, cells.length / MOVING_PART - moving());
    int changed = reassign(now, servers, max, false);
    boolean isHeld = Arrays.stream(cells).anyMatch(cell -> cell.isMoving() || isHeld(now, cell));
    shares.setMet(changed == 0 && !isHeld);
    return changed;
  }

  /**
   * Moves buckets to the members that those of another edge lead to; returns how many.
   *
   * @param servers the members that this edge reaches
   * @param mayMove whether connections can get rules of their own
   */
  int follow(BucketMembers other, BucketInput now, List<Server> servers, boolean mayMove) {
    Set<Integer> reached = numbers(servers);
    int left = cells.length / MOVING_PART - moving();
    int changed = 0;
    for (int index = 0; index < cells.length; index++) {
      Cell cell = cells[index];
      Cell like = other.cells[index];
      if (like.member == cell.member || !reached.contains(like.member)) {
        continue;
      }
      boolean isLost = absences.isLost(now, cell.member);
      boolean isDrained = now.standing(cell.member) == Standing.DRAINING;
      boolean isInStep = like.isMoving() && like.before == cell.member;
      if (isLost || (!cell.isMoving() && (isDrained || (mayMove && (isInStep || left > 0))))) {
        left -= isLost || isInStep ? 0 : 1;
        move(now, cell, like.member);
        changed++;
      }
    }
    return changed;
  }

  /** Whether a bucket rests after a move. */
  private boolean isHeld(BucketInput now, Cell cell) {
    return cell.cause != Cause.FIRST && now.nowNanos() - cell.movedAtNanos < holdNanos;
  }

  /**
   * Assigns buckets anew with as few moves as possible; returns the number of moves.
   *
   * @param onlyLost whether only buckets of lost members may move
   */
  private int reassign(BucketInput now, List<Server> servers, int maxMoves, boolean onlyLost) {
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
          absences.isLost(now, cell.member)
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

  private void move(BucketInput now, Cell cell, int memberNumber) {
    int from = cell.member;
    boolean wasLost = absences.isLost(now, from);
    cell.cause =
        wasLost
            ? Cause.DEAD
            : now.standing(from) == Standing.DRAINING ? Cause.DRAINED : Cause.SHARES;
    moves.add(switchId, from, memberNumber, cell.cause, now.nowNanos());
    if (wasLost || isTracked) { // open connections do not follow the bucket
      cell.member = memberNumber;
      cell.movedAtNanos = now.nowNanos();
    } else {
      cell.move(memberNumber, now.nowNanos());
    }
  }

  /** Finds out whether the buckets that have traffic can meet the shares. */
  void judge(BucketInput now, List<Server> servers, boolean isChanging) {
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

  /** All established connections leave their buckets. */
  void leave(long nowNanos) {
    for (Cell cell : cells) {
      cell.move(0, nowNanos);
    }
  }

  /** The buckets stay with the members of established connections after all. */
  void stay(long nowNanos) {
    for (Cell cell : cells) {
      cell.member = cell.before;
      cell.settle(nowNanos);
    }
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
      int member = cell.latest();
      indexOf.putIfAbsent(member, indexOf.size());
      assigned[index] = indexOf.get(member);
    }
    double[] loads = BucketAssignment.loads(assigned, indexOf.size(), traffic.sizes());
    Map<Integer, Double> byMember = new HashMap<>();
    indexOf.forEach((member, index) -> byMember.put(member, loads[index]));
    return byMember;
  }

  /** The buckets for the threads that read from switches. */
  ImmutableList<Bucket> published(BucketInput now) {
    Map<Bucket, Bucket> shared = new HashMap<>();
    return Arrays.stream(cells)
        .map(cell -> bucket(cell, now))
        .map(bucket -> shared.computeIfAbsent(bucket, same -> same))
        .collect(ImmutableList.toImmutableList());
  }

  /** The buckets that have led to members until now, so that these may still have connections. */
  ImmutableList<Bucket> remembered(BucketInput now) {
    return Arrays.stream(cells)
        .map(cell -> new Bucket(null, now.server(cell.before), cell.cause, cell.movingSinceNanos))
        .collect(ImmutableList.toImmutableList());
  }

  private static Bucket bucket(Cell cell, BucketInput now) {
    @Nullable Server before = cell.before == 0 ? null : now.server(cell.before);
    return new Bucket(
        cell.member == 0 ? null : now.server(cell.member),
        before,
        cell.cause,
        before == null ? cell.movedAtNanos : cell.movingSinceNanos);
  }
}
