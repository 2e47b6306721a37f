package io.malob.balancer.bucket;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.state.catalog.Protocol;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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

  private static final int VIPS = 4_096;

  private final Map<Place, BucketTable> tables = new ConcurrentHashMap<>();
  private final AtomicLongArray arrivals = new AtomicLongArray(VIPS);
  private final Map<Integer, LongAdder> adopted = new ConcurrentHashMap<>();
  private final Timeouts timeouts;
  private final Predicate<DatapathId> matchesTcpFlags;
  private final LongSupplier nanoTime;

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

  /** Whether no VIP has buckets. */
  public boolean isEmpty() {
    return tables.isEmpty();
  }

  /** Publishes the buckets of a VIP at a client edge. */
  public void publish(int vipNumber, DatapathId switchId, BucketTable table) {
    tables.put(new Place(vipNumber, switchId), table);
  }

  /** Forgets the buckets of a VIP at a client edge. */
  public void forget(int vipNumber, DatapathId switchId) {
    tables.remove(new Place(vipNumber, switchId));
  }

  /** The buckets of a VIP at a client edge; null if it has always been reactive there. */
  public @Nullable BucketTable find(int vipNumber, DatapathId switchId) {
    return tables.isEmpty() ? null : tables.get(new Place(vipNumber, switchId));
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
  public void adopted(int memberNumber) {
    adopted.computeIfAbsent(memberNumber, any -> new LongAdder()).increment();
  }

  /** How many such connections of a member there were since the last call. By one thread. */
  public long takeAdopted(int memberNumber) {
    @Nullable LongAdder count = adopted.get(memberNumber);
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
