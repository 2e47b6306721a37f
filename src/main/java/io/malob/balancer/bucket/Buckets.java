package io.malob.balancer.bucket;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.BucketTable.Tracking;
import io.malob.state.catalog.Protocol;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The buckets of all proactive VIPs. One writer publishes them; the threads that read from switches
 * look them up for the packets that reach the controller nevertheless: of buckets that move, and of
 * connections with rules of their own. Thread-safe, without locks.
 */
public final class Buckets {
  /**
   * How long a switch may still use its rules of before a change (Open vSwitch: half a second).
   * Until then, new connections of a bucket that has begun to move stay with the member before:
   * otherwise, their second packet could follow the old rule.
   */
  private static final long TAKES_EFFECT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** At how many edges a bucket is looked for if the client's edge is not known. */
  private static final int MAX_EDGES = 8;

  private static final int VIPS = 4_096;

  private final Map<Place, BucketTable> tables = new ConcurrentHashMap<>();

  /** The client edges that have tables, by VIP; those of a VIP are never empty. */
  private final Map<Integer, ConcurrentSkipListSet<DatapathId>> edges = new ConcurrentHashMap<>();

  /** Those of them whose tables are in force. */
  private final Map<Integer, ConcurrentSkipListSet<DatapathId>> placing = new ConcurrentHashMap<>();

  /** By VIP and client edge: the other edges with the same clients. */
  private final Map<Integer, ImmutableMap<DatapathId, ImmutableSet<DatapathId>>> sharing =
      new ConcurrentHashMap<>();

  private final AtomicLongArray arrivals = new AtomicLongArray(VIPS);
  private final Map<Integer, LongAdder> known = new ConcurrentHashMap<>();
  private final Timeouts timeouts;
  private final Predicate<DatapathId> matchesTcpFlags;
  private final LongSupplier nanoTime;
  private final ReplyOrdinals replyOrdinals = new ReplyOrdinals();

  private record Place(int vipNumber, DatapathId switchId) {}

  /**
   * Times of proactive VIPs, in seconds.
   *
   * @param move how long a bucket moves
   * @param hold how long it rests after a move
   * @param pin the idle timeout of connections that are not on their bucket's member
   * @param udp the idle timeout of UDP connections
   */
  public record Timeouts(int move, int hold, int pin, int udp) {}

  /**
   * No buckets.
   *
   * @param matchesTcpFlags whether a switch matches TCP flags
   */
  public Buckets(Timeouts timeouts, Predicate<DatapathId> matchesTcpFlags, LongSupplier nanoTime) {
    this.timeouts = timeouts;
    this.matchesTcpFlags = matchesTcpFlags;
    this.nanoTime = nanoTime;
  }

  /** The times. */
  public Timeouts timeouts() {
    return timeouts;
  }

  /** The ordinals of the paths of replies of tracked VIPs. */
  public ReplyOrdinals replyOrdinals() {
    return replyOrdinals;
  }

  /** Whether no VIP has buckets. */
  public boolean isEmpty() {
    return tables.isEmpty();
  }

  /** Publishes the buckets of a VIP at a client edge. */
  public void publish(int vipNumber, DatapathId switchId, BucketTable table) {
    tables.put(new Place(vipNumber, switchId), table);
    edges.computeIfAbsent(vipNumber, any -> new ConcurrentSkipListSet<>()).add(switchId);
    if (table.isInForce()) {
      placing.computeIfAbsent(vipNumber, any -> new ConcurrentSkipListSet<>()).add(switchId);
    } else {
      remove(placing, vipNumber, switchId);
    }
  }

  /** Forgets the buckets of a VIP at a client edge. */
  public void forget(int vipNumber, DatapathId switchId) {
    tables.remove(new Place(vipNumber, switchId));
    remove(edges, vipNumber, switchId);
    remove(placing, vipNumber, switchId);
  }

  /**
   * Publishes which client edges of a VIP have the same clients.
   *
   * @param groups the group of each edge that is in one
   */
  public void share(int vipNumber, ImmutableMap<DatapathId, ImmutableSet<DatapathId>> groups) {
    if (groups.isEmpty()) {
      sharing.remove(vipNumber);
    } else {
      sharing.put(vipNumber, groups);
    }
  }

  /**
   * The other client edges where packets of a connection may come in, and which would lead them to
   * another member than its own without a rule of their own.
   *
   * @param memberNumber its member
   */
  public Set<DatapathId> exposedElsewhere(
      int vipNumber, DatapathId switchId, FiveTuple request, int memberNumber) {
    if (sharing.isEmpty()) {
      return Set.of();
    }
    ImmutableMap<DatapathId, ImmutableSet<DatapathId>> groups =
        sharing.getOrDefault(vipNumber, ImmutableMap.of());
    // what leads elsewhere here soon does there
    boolean isExposed = isExposed(vipNumber, switchId, request, memberNumber);
    return Sets.filter(
        groups.getOrDefault(switchId, ImmutableSet.of()),
        other ->
            !other.equals(switchId)
                && (isExposed || isExposed(vipNumber, other, request, memberNumber)));
  }

  private static void remove(
      Map<Integer, ConcurrentSkipListSet<DatapathId>> switches,
      int vipNumber,
      DatapathId switchId) {
    switches.computeIfPresent(
        vipNumber,
        (any, of) -> {
          of.remove(switchId);
          return of.isEmpty() ? null : of;
        });
  }

  /** Whether a VIP has buckets, or has had some whose connections may go on, at any client edge. */
  public boolean hasTables(int vipNumber) {
    return edges.containsKey(vipNumber);
  }

  /** Whether switches place connections of a VIP, at any client edge. */
  public boolean arePlacing(int vipNumber) {
    return placing.containsKey(vipNumber);
  }

  /** The buckets of a VIP at a client edge; null if it has always been reactive there. */
  public @Nullable BucketTable find(int vipNumber, DatapathId switchId) {
    return tables.isEmpty() ? null : tables.get(new Place(vipNumber, switchId));
  }

  /** How a switch tracks the connections of a VIP; null if it does not. */
  public @Nullable Tracking trackingAt(int vipNumber, DatapathId switchId) {
    @Nullable BucketTable table = find(vipNumber, switchId);
    return table == null ? null : table.tracking();
  }

  /** How switches track the connections of a VIP; null if none does. */
  public @Nullable Tracking tracking(int vipNumber) {
    return Stream.ofNullable(placing.get(vipNumber))
        .flatMap(Set::stream)
        .map(each -> trackingAt(vipNumber, each))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /**
   * The member of a connection that the controller does not know; null if the VIP's algorithm is to
   * choose it.
   *
   * @param isSyn whether the packet opens a TCP connection
   */
  public @Nullable Server memberOf(
      int vipNumber, DatapathId switchId, FiveTuple request, boolean isSyn) {
    @Nullable BucketTable table = find(vipNumber, switchId);
    if (table == null || (isSyn && !table.isInForce())) {
      return null;
    }
    Bucket bucket = table.of(request);
    @Nullable Server before = bucket.before();
    if (before == null) {
      return bucket.member();
    }
    boolean isTcp = request.protocol() == Protocol.TCP.ipNumber();
    if (isTcp && !isSyn) {
      return before;
    }
    // UDP does not mark first packets: after its idle timeout, an unknown connection is new
    long established = isTcp ? TAKES_EFFECT_NANOS : TimeUnit.SECONDS.toNanos(timeouts.udp);
    return nanoTime.getAsLong() - bucket.sinceNanos() < established ? before : bucket.member();
  }

  /**
   * The members of a connection that the controller does not know, whose client's edge is not known
   * either: that of its bucket at each edge, or at the first {@link #MAX_EDGES} of many.
   *
   * @param likely an edge that counts before the others
   */
  public ImmutableList<Server> membersOf(int vipNumber, DatapathId likely, FiveTuple request) {
    @Nullable Set<DatapathId> others = edges.get(vipNumber);
    if (others == null) {
      return ImmutableList.of();
    }
    Map<Integer, Server> members = new LinkedHashMap<>();
    Stream.concat(
            Stream.of(likely).filter(others::contains),
            others.stream().filter(each -> !each.equals(likely)))
        .limit(MAX_EDGES)
        .map(each -> memberOf(vipNumber, each, request, false))
        .filter(Objects::nonNull)
        .forEach(member -> members.putIfAbsent(member.number(), member));
    return ImmutableList.copyOf(members.values());
  }

  /**
   * The member of a connection that the controller does not know, at a client edge that has never
   * had buckets: its client's packets have come in at another edge so far, as those of a router
   * that has failed. It is that of its bucket at the other edges, if they agree; null otherwise.
   */
  public @Nullable Server memberElsewhere(int vipNumber, DatapathId switchId, FiveTuple request) {
    if (find(vipNumber, switchId) != null) {
      return null;
    }
    ImmutableList<Server> members = membersOf(vipNumber, switchId, request);
    return members.size() == 1 ? members.get(0) : null;
  }

  /**
   * The time, on the controller's monotonic clock, until which a bucket has led the packets of a
   * connection without rules past the controller; empty if there is no such bucket.
   */
  public OptionalLong ledUntil(int vipNumber, DatapathId switchId, FiveTuple request) {
    @Nullable BucketTable table = find(vipNumber, switchId);
    if (table == null) {
      return OptionalLong.empty();
    }
    Bucket bucket = table.of(request);
    // buckets that are not in force moved until their rules were removed; their member may be gone
    boolean hasMoved = bucket.isMoving() || !table.isInForce();
    return OptionalLong.of(hasMoved ? bucket.sinceNanos() : nanoTime.getAsLong());
  }

  /**
   * Whether the members of a packet's bucket are not located at present: the controller has been
   * restarted while the bucket moved.
   */
  public boolean awaitsMember(int vipNumber, DatapathId switchId, FiveTuple request) {
    @Nullable BucketTable table = find(vipNumber, switchId);
    if (table == null) {
      return false;
    }
    Bucket bucket = table.of(request);
    return table.isInForce() && bucket.member() == null && bucket.before() == null;
  }

  /**
   * Whether a connection would reach another member than its own without rules of its own.
   *
   * @param memberNumber its member
   */
  public boolean isExposed(
      int vipNumber, DatapathId switchId, FiveTuple request, int memberNumber) {
    @Nullable BucketTable table = find(vipNumber, switchId);
    return table != null && table.isInForce() && isExposed(table, request, memberNumber);
  }

  private static boolean isExposed(BucketTable table, FiveTuple request, int memberNumber) {
    @Nullable Server member = table.of(request).member();
    return member != null && member.number() != memberNumber;
  }

  /**
   * Whether the controller is to see SYNs on the five-tuple of a connection with rules of its own:
   * they open a connection that belongs to the bucket's member.
   *
   * @param memberNumber its member
   */
  public boolean watchesSyns(
      int vipNumber, DatapathId switchId, FiveTuple request, int memberNumber) {
    return request.protocol() == Protocol.TCP.ipNumber()
        && isExposed(vipNumber, switchId, request, memberNumber)
        && matchesTcpFlags.test(switchId);
  }

  /**
   * The idle timeout of a connection's rules.
   *
   * @param usual the timeout of a reactive VIP's connection
   */
  public int idleSeconds(
      int vipNumber, DatapathId switchId, FiveTuple request, int memberNumber, int usual) {
    @Nullable BucketTable table = find(vipNumber, switchId);
    if (table == null || !table.isInForce()) {
      return usual;
    }
    return isExposed(table, request, memberNumber)
        ? Math.max(usual, timeouts.pin)
        : Math.max(usual, timeouts.move);
  }

  /**
   * Counts a connection that a bucket has placed on a member, and that the controller knows now.
   */
  public void countKnown(int memberNumber) {
    known.computeIfAbsent(memberNumber, any -> new LongAdder()).increment();
  }

  /** How many such connections of a member there were since the last call. By one thread. */
  public long takeKnown(int memberNumber) {
    @Nullable LongAdder count = known.get(memberNumber);
    return count == null ? 0 : count.sumThenReset();
  }

  /** Counts a new connection of a VIP that reached the controller. */
  public void arrived(int vipNumber) {
    arrivals.incrementAndGet(vipNumber);
  }

  /** How many connections of a VIP were new at the controller, since the start. */
  public long arrivals(int vipNumber) {
    return arrivals.get(vipNumber);
  }
}
