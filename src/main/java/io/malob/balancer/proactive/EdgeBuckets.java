package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import io.malob.algorithm.bucket.BucketAssignment;
import io.malob.algorithm.bucket.BucketCount;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.BucketTable.Tracking;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.proactive.BucketInput.Standing;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.bucket.TrackedMember;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets of a VIP at one client edge: whether the edge has some, and the steps by which they
 * come, change and go. For one thread at a time.
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

  /** How long the buckets of a VIP that is reactive again tell where connections are. */
  private static final long REMEMBERED_NANOS = TimeUnit.HOURS.toNanos(1);

  private final DatapathId switchId;
  private final Buckets buckets;
  private final Leads<Integer> leads;
  private final Runnable pinExposed;
  private final EdgeShares shares = new EdgeShares();
  private final EdgeTraffic traffic = new EdgeTraffic();
  private final Absences absences = new Absences();
  private final MemberLeads memberLeads;
  private final BucketMembers members;
  private final SentBuckets sent;

  /** How long the edge is leaving, until its open connections do not need its rules any more. */
  private final long leaveNanos;

  private EdgeState state = EdgeState.REACTIVE;
  private long sinceNanos;
  private @Nullable BucketKey key;

  /** The buckets that were split last, while the switch still has them; null if it has none. */
  private @Nullable BucketKey coarse;

  private @Nullable BucketInput seen;

  /** The edge whose buckets this edge's follow; null if it decides itself. */
  private @Nullable EdgeBuckets decider;

  /** Its version of the buckets when they were last followed. */
  private long followedVersion;

  /** The edges whose buckets follow this edge's. */
  private List<EdgeBuckets> followers = List.of();

  /** Whether the assignment or what was sent has changed since it was last programmed. */
  private boolean isDirty;

  /** When moves or the patience with absent members end next. */
  private long dueNanos;

  /** That of the numbers of paths of replies when they were last followed. */
  private long ordinalsVersion;

  /** Changes with all that is shown of the edge. */
  private long version;

  private boolean isPublished;

  /** Whether the switch has had all buckets. */
  private boolean isConfirmed;

  /** Whether the controller chooses the member of each connection that the switch tracks. */
  private boolean isExact;

  /** The switches whose tables are full. */
  private Set<DatapathId> full = Set.of();

  /**
   * An edge without buckets.
   *
   * @param isTracked whether the switch remembers the members of connections
   * @param pinExposed gives connections rules of their own that would reach another member
   */
  EdgeBuckets(
      DatapathId switchId,
      Buckets buckets,
      LabelTable labels,
      Moves moves,
      boolean isTracked,
      Runnable pinExposed,
      long nowNanos) {
    this.switchId = switchId;
    this.buckets = buckets;
    this.leads = new Leads<>(labels);
    this.memberLeads = new MemberLeads(switchId, leads, absences);
    this.pinExposed = pinExposed;
    this.members =
        new BucketMembers(
            switchId, shares, traffic, absences, moves, buckets.timeouts(), isTracked);
    this.sent = new SentBuckets(leads, traffic, buckets.timeouts(), isTracked, this::replyPaths);
    this.leaveNanos =
        isTracked ? REMEMBERED_NANOS : TimeUnit.SECONDS.toNanos(buckets.timeouts().move());
    this.sinceNanos = nowNanos;
  }

  /** The number of paths of the replies of a member to the clients here. */
  private int replyPaths(BucketInput now, int memberNumber) {
    @Nullable Server server = now.server(memberNumber);
    return server == null
        ? 1
        : buckets.replyOrdinals().paths(now.traffic().vipNumber(), switchId, server);
  }

  DatapathId switchId() {
    return switchId;
  }

  EdgeState state() {
    return state;
  }

  /** Whether the switch has rules of buckets. */
  boolean hasRules() {
    return state == EdgeState.PROACTIVE || state == EdgeState.LEAVING;
  }

  /** Whether the switch has had all buckets since the edge became proactive. */
  boolean isConfirmed() {
    return isConfirmed;
  }

  /** Whether packets that reach the controller may find their member here. */
  boolean isPublished() {
    return isPublished;
  }

  /**
   * Has the buckets follow those of another edge from the next step on, or decides itself if null.
   *
   * @param followedBy the edges that follow this one, if it decides
   */
  void setDecider(@Nullable EdgeBuckets other, List<EdgeBuckets> followedBy, long nowNanos) {
    decider = other;
    followers = followedBy;
    if (other != null) {
      traffic.leaveJudgement(nowNanos);
      shares.follow(other.shares);
    } else {
      traffic.setFollowers(followers.stream().map(EdgeBuckets::traffic).toList());
      Map<EdgeShares, Double> weights = new HashMap<>();
      Stream.concat(Stream.of(this), followers.stream())
          .filter(edge -> !edge.shares.byMember().isEmpty())
          .forEach(edge -> weights.put(edge.shares, edge.traffic.weight()));
      shares.combine(weights);
    }
  }

  /** Whether the controller chooses the member of each connection, from the next step on. */
  void setExact(boolean isChosenEach) {
    isDirty |= isExact != isChosenEach;
    isExact = isChosenEach;
  }

  /** Whether the algorithm is to propose new shares. */
  boolean isDue(BucketInput now) {
    return shares.isDue(members.size() > 0, now.candidates().size(), now.nowNanos());
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
      BucketInput now,
      Wire wire,
      BucketSource source,
      double @Nullable [] proposed,
      EdgeReadiness readiness) {
    boolean isTurn = proposed != null;
    full = readiness.full();
    isConfirmed |= state == EdgeState.PROACTIVE && wire.sw().isSettled();
    if (wire.sw().isSettled() && full.isEmpty()) {
      removeCoarse(now, wire);
    }
    if (state == EdgeState.LEAVING) {
      stay(now);
    }
    if (state == EdgeState.REACTIVE) {
      become(EdgeState.PREPARING, now.nowNanos());
    }
    @Nullable BucketInput before = seen;
    seen = now;
    boolean isOtherView = before == null || !now.hasViewOf(before);
    if (isOtherView || isTurn || isDirty || leads.hasPending()) {
      if (isDirty) {
        members.count();
      }
      isDirty |= memberLeads.want(now, members.inUse());
    }
    if (proposed != null) {
      // a member without a path is proposed no share; if it has one soon, as while links are being
      // discovered after a restart, its buckets stay
      if (state == EdgeState.PREPARING || memberLeads.isStable(now, members.byMember().keySet())) {
        shares.propose(now.candidates(), proposed, now.nowNanos());
      } else {
        shares.keep(now.nowNanos());
      }
    }
    if (state == EdgeState.PREPARING) {
      if (readiness.isReady() && readiness.hasRoom()) {
        prepare(now, wire, source);
      }
      return;
    }
    boolean hasOtherMembers = before == null || !now.hasMembersOf(before);
    isDirty |= leads.takeChanged() || hasOtherMembers || now.nowNanos() - dueNanos >= 0;
    isDirty |= sent.hasCaughtUp();
    isDirty |= buckets.replyOrdinals().version() != ordinalsVersion;
    ordinalsVersion = buckets.replyOrdinals().version();
    follow(now, readiness, isTurn || hasOtherMembers);
    if (isDirty) {
      shares.setMet(false);
      members.rescue(now, reachable(now));
      members.finishMoves(now, number -> leads.find(number).isPresent());
    }
    if ((isTurn || hasOtherMembers)
        && readiness.hasRoom()
        && memberLeads.isStable(now, members.byMember().keySet())) {
      grow(now, wire);
      if (decider == null) {
        rebalance(now);
      }
    }
    if (isDirty) {
      if (members.moving() > 0) {
        removeCoarse(now, wire); // they do not move
      }
      isDirty = false;
      version++;
      dueNanos = nextDue(now);
      members.count();
      publish(now);
      program(now, wire);
    }
  }

  /** When moves or the patience with absent members end next; a long time ahead if never. */
  private long nextDue(BucketInput now) {
    return LongStream.concat(members.ends(), absences.ends())
            .map(end -> end - now.nowNanos())
            .filter(left -> left > 0)
            .reduce(REMEMBERED_NANOS, Math::min)
        + now.nowNanos();
  }

  private void become(EdgeState next, long nowNanos) {
    state = next;
    isConfirmed = false;
    sinceNanos = nowNanos;
    absences.stateChanged(nowNanos);
    traffic.awaitBalance(nowNanos);
    isDirty = true;
    version++;
  }

  private List<Server> reachable(BucketInput now) {
    return memberLeads.reachable(now, full, members.byMember());
  }

  /** Before buckets of lost members move elsewhere, they follow. */
  private void follow(BucketInput now, EdgeReadiness readiness, boolean isTurn) {
    @Nullable EdgeBuckets other = decider;
    if (other == null
        || !other.key().equals(key())
        || !(isTurn || isDirty || followedVersion != other.members.version())) {
      return;
    }
    followedVersion = other.members.version();
    boolean mayMove = readiness.hasRoom() && full.isEmpty() && coarse == null;
    isDirty |= members.follow(other.members, now, reachable(now), mayMove) > 0;
  }

  private void prepare(BucketInput now, Wire wire, BucketSource source) {
    List<Server> servers = reachable(now);
    boolean isComplete =
        servers.size() == now.candidates().size() || now.nowNanos() - sinceNanos >= FIRST_NANOS;
    double[] wanted = shares.of(servers);
    @Nullable EdgeBuckets other = decider;
    boolean hasMembers = other == null ? Arrays.stream(wanted).sum() > 0 : !servers.isEmpty();
    if (!isComplete || !hasMembers) {
      return;
    }
    int count = other == null ? BucketCount.forShares(wanted) : other.members.size();
    BucketKey first = new BucketKey(source, count);
    key = first;
    traffic.begin(first);
    if (other == null) {
      members.begin(
          Arrays.stream(BucketAssignment.initial(wanted, count))
              .map(index -> servers.get(index).number())
              .toArray(),
          now.nowNanos());
    } else {
      members.begin(other.members, now, servers);
    }
    sent.begin(count);
    become(EdgeState.PROACTIVE, now.nowNanos());
    publish(now);
    pinExposed.run();
    program(now, wire);
    wire.sw().then(wire.factory().barrierRequest()); // before packets are sent to the buckets
    LOG.info(
        "edge_proactive vip={} switch={} buckets={} source={}",
        now.plan().vip().id(),
        switchId,
        count,
        source.text());
  }

  /** Doubles the number of buckets if the shares need that: each splits into two. */
  private void grow(BucketInput now, Wire wire) {
    @Nullable BucketKey current = key;
    if (current == null
        || current.count() == BucketCount.MAX
        || !full.isEmpty()
        || members.moving() > 0) {
      return;
    }
    int count = wantedCount(now);
    if (count <= current.count()) {
      return;
    }
    members.split(count);
    sent.begin(count);
    traffic.split(count);
    isDirty = true;
    key = new BucketKey(current.source(), count);
    publish(now);
    program(now, wire);
    coarse = current;
  }

  /** As many buckets as the shares need, and as any edge of the group has. */
  private int wantedCount(BucketInput now) {
    @Nullable EdgeBuckets other = decider;
    if (other != null) {
      return other.members.size();
    }
    int most = followers.stream().mapToInt(each -> each.members.size()).max().orElse(0);
    double[] wanted = shares.areMet(members.size()) ? new double[0] : shares.of(reachable(now));
    return wanted.length == 0 ? most : Math.max(most, BucketCount.forShares(wanted));
  }

  /** The switch has the finer buckets, or the coarser ones must lead no more packets. */
  private void removeCoarse(BucketInput now, Wire wire) {
    @Nullable BucketKey before = coarse;
    if (before != null) {
      coarse = null;
      wire.sw().then(BucketRules.removeAll(wire.factory(), now.traffic().vipNumber(), before));
    }
  }

  private void rebalance(BucketInput now) {
    List<Server> servers = reachable(now);
    if (servers.isEmpty()) {
      return;
    }
    int moving = members.moving();
    boolean drains =
        members.byMember().keySet().stream()
            .anyMatch(number -> now.standing(number) == Standing.DRAINING);
    boolean isSettled = !isDirty && !drains && moving == 0 && traffic.hasEqualBuckets();
    boolean isJudged = traffic.takeNewRates();
    int changed = 0;
    // connections of a bucket that moves need rules of their own
    boolean mayMove = drains || (full.isEmpty() && coarse == null);
    if (mayMove && (!isSettled || !shares.areMet(members.size()))) {
      changed = members.improve(now, servers, drains);
      isDirty |= changed > 0;
      isJudged = true;
    }
    if (isJudged) {
      version++;
      members.judge(now, servers, changed > 0 || moving > 0);
    }
  }

  /** Makes the buckets known to the threads that read from switches, before the switch. */
  private void publish(BucketInput now) {
    @Nullable BucketKey current = key;
    if (current == null) {
      return;
    }
    BucketTable table =
        new BucketTable(
            current,
            members.published(now),
            true,
            now.traffic().isTracked() ? new Tracking(now.traffic(), isExact) : null);
    if (!table.equals(buckets.find(now.traffic().vipNumber(), switchId))) {
      buckets.publish(now.traffic().vipNumber(), switchId, table);
    }
    isPublished = true;
  }

  /**
   * The members of the pool that the switch may remember for connections, and where their packets
   * leave.
   */
  List<TrackedMember> tracked(BucketInput now) {
    return now.standings().keySet().stream()
        .flatMap(number -> leads.find(number).stream())
        .map(
            lead -> {
              Server server = Objects.requireNonNull(lead.server());
              boolean isDead = now.standing(server.number()) == Standing.DEAD;
              return new TrackedMember(server, isDead ? null : lead.onward(server.at()));
            })
        .toList();
  }

  /** The members of that many buckets, evenly chosen from all; empty if one is not located. */
  List<Server> sample(int count) {
    List<Cell> cells = members.cells();
    List<Server> servers =
        IntStream.range(0, cells.isEmpty() ? 0 : count)
            .mapToObj(index -> cells.get((int) ((long) index * cells.size() / count)))
            .flatMap(cell -> leads.find(cell.member).stream())
            .flatMap(lead -> Optional.ofNullable(lead.server()).stream())
            .toList();
    return servers.size() == count ? servers : List.of();
  }

  private void program(BucketInput now, Wire wire) {
    @Nullable BucketKey current = key;
    if (current != null) {
      sent.program(now, wire, current, members.cells());
    }
  }

  /**
   * Goes back to reactive placement, one step at a time.
   *
   * @param hasRoom whether thousands of rules may change
   */
  void leave(BucketInput now, Wire wire, boolean hasRoom) {
    switch (state) {
      case REACTIVE -> forgetInTime(now);
      case PREPARING -> {
        leads.retain(Set.of());
        leads.releaseReplaced();
        become(EdgeState.REACTIVE, now.nowNanos());
      }
      case PROACTIVE -> {
        if (!hasRoom || awaitsMembers(now)) {
          return;
        }
        members.leave(now.nowNanos());
        become(EdgeState.LEAVING, now.nowNanos());
        publish(now);
        program(now, wire);
      }
      case LEAVING -> {
        if (now.nowNanos() - sinceNanos >= leaveNanos) {
          end(now, wire);
        }
      }
    }
  }

  /** Whether members are not located yet, after a restart: until then, no packet can be pinned. */
  private boolean awaitsMembers(BucketInput now) {
    return absences.isSoonAfterRestart(now)
        && members.cells().stream()
            .anyMatch(
                cell ->
                    now.standing(cell.member) != Standing.DEAD && now.server(cell.member) == null);
  }

  /** The VIP is to stay proactive after all. */
  private void stay(BucketInput now) {
    members.stay(now.nowNanos());
    become(EdgeState.PROACTIVE, now.nowNanos());
  }

  private void end(BucketInput now, Wire wire) {
    @Nullable BucketKey current = key;
    if (current != null) {
      buckets.publish(
          now.traffic().vipNumber(),
          switchId,
          new BucketTable(current, members.remembered(now), false));
    }
    remove(now.traffic().vipNumber(), wire);
    become(EdgeState.REACTIVE, now.nowNanos());
    LOG.info("edge_reactive vip={} switch={}", now.plan().vip().id(), switchId);
  }

  private void forgetInTime(BucketInput now) {
    if (isPublished && now.nowNanos() - sinceNanos >= REMEMBERED_NANOS) {
      buckets.forget(now.traffic().vipNumber(), switchId);
      isPublished = false;
    }
  }

  /** Removes the rules of the buckets, and all state but what is published. */
  void remove(int vipNumber, @Nullable Wire wire) {
    if (wire != null) {
      wire.sw().then(BucketRules.removeAll(wire.factory(), vipNumber));
    }
    sent.clear();
    members.clear();
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
    members.recover(found, nowNanos);
    sent.recover(found, nowNanos);
    absences.recovered();
    seen = null;
    become(EdgeState.PROACTIVE, nowNanos);
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
    if (sent.isAsSent(cookie, label, out)) {
      seen.add(cookie.index());
    }
    return true;
  }

  /** Has the rules sent again that the switch was found not to have; whether it had all. */
  boolean complete(Set<Integer> seen, long settledNanos) {
    boolean hasAll = sent.complete(seen, settledNanos);
    isDirty |= !hasAll;
    return hasAll;
  }

  /** Takes over the counters of the buckets' rules. */
  void counted(int index, BucketKey of, int memberNumber, long packets, double seconds) {
    // the connections of a bucket that moves have rules of their own: it counts few of their
    // packets
    if (of.equals(key) && sent.countsFor(index, memberNumber)) {
      traffic.counted(index, packets, seconds);
      version++;
    }
  }

  BucketMembers members() {
    return members;
  }

  SentBuckets sent() {
    return sent;
  }

  EdgeTraffic traffic() {
    return traffic;
  }

  Optional<BucketKey> key() {
    return Optional.ofNullable(key);
  }

  /** Whether it has buckets that this part of packets chooses. */
  boolean hasBucketsBy(BucketSource source) {
    @Nullable BucketKey current = key;
    return current != null && current.source() == source;
  }

  EdgeShares shares() {
    return shares;
  }
}
