package io.malob.endhost;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.openflow.uplink.FlowKey;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * TCP connections whose SYN left over two uplinks: the first SYN-ACK decides which of them carries
 * the connection, and later ones are to be reset. An uplink on which the connection is rejected is
 * out of the race; the host learns of it if no other is left. {@link #sweep} is for one thread at a
 * time, the rest for any.
 */
final class Races {
  /** As long as a Linux server retransmits a SYN-ACK. */
  static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(63);

  /** The max number of remembered races; other connections use one uplink. */
  private static final int MAX = 20_000;

  private final Map<FlowKey, Race> byKey = new ConcurrentHashMap<>();
  private final Queue<Begun> inOrder = new ConcurrentLinkedQueue<>();
  final LongAdder total = new LongAdder();
  final LongAdder wonBySecond = new LongAdder();

  /** Packets that a connection over one uplink would not have: SYN, SYN-ACK and RST. */
  final LongAdder extraPackets = new LongAdder();

  /** What an answer to a SYN is. */
  enum Answer {
    /** The first one. */
    WINS,
    /** A later one, of a connection that must be reset. */
    LOSES,
    /** Not of a race. */
    OTHER
  }

  /**
   * One connection attempt.
   *
   * @param uplinks the numbers of its uplinks
   * @param running those of which no answer has come; empty once it is decided
   * @param first the uplink that would carry the connection without a race
   * @param sequence of the SYN, by which its answers are recognized
   */
  private record Race(
      ImmutableSet<Integer> uplinks, ImmutableSet<Integer> running, int first, int sequence) {
    Race with(ImmutableSet<Integer> stillRunning) {
      return new Race(uplinks, stillRunning, first, sequence);
    }
  }

  private record Begun(FlowKey key, int sequence, long nanos) {}

  boolean isFull() {
    return byKey.size() >= MAX;
  }

  /** The uplinks of an undecided race with that SYN; empty if there is none. */
  ImmutableSet<Integer> running(FlowKey key, int sequence) {
    @Nullable Race race = byKey.get(key);
    return race == null || race.sequence != sequence ? ImmutableSet.of() : race.running;
  }

  /** Begins a race; replaces an earlier one of the same ports. */
  void begin(FlowKey key, int first, int second, int sequence, long nowNanos) {
    ImmutableSet<Integer> uplinks = ImmutableSet.of(first, second);
    byKey.put(key, new Race(uplinks, uplinks, first, sequence));
    inOrder.add(new Begun(key, sequence, nowNanos));
    total.increment();
  }

  /** A SYN-ACK has come in at an uplink. */
  Answer answered(FlowKey key, int uplink, int acknowledgement) {
    @Nullable Race race = byKey.get(key);
    if (race == null || !race.uplinks.contains(uplink) || acknowledgement != race.sequence + 1) {
      return Answer.OTHER;
    }
    if (!race.running.contains(uplink)) {
      extraPackets.add(2); // it and its reset
      return Answer.LOSES;
    }
    if (!byKey.replace(key, race, race.with(ImmutableSet.of()))) {
      return answered(key, uplink, acknowledgement);
    }
    if (uplink != race.first) {
      wonBySecond.increment();
    }
    return Answer.WINS;
  }

  /** A SYN was rejected over an uplink; whether the connection cannot come about any more. */
  boolean rejected(FlowKey key, int uplink) {
    @Nullable Race race = byKey.get(key);
    if (race == null || !race.running.contains(uplink)) {
      return false;
    }
    ImmutableSet<Integer> left =
        Sets.difference(race.running, ImmutableSet.of(uplink)).immutableCopy();
    return byKey.replace(key, race, race.with(left)) ? left.isEmpty() : rejected(key, uplink);
  }

  /** Forgets races that began long ago. */
  void sweep(long nowNanos) {
    for (@Nullable Begun next = inOrder.peek();
        next != null && nowNanos - next.nanos >= REMEMBERED_NANOS;
        next = inOrder.peek()) {
      inOrder.remove();
      int sequence = next.sequence;
      byKey.computeIfPresent(next.key, (key, race) -> race.sequence == sequence ? null : race);
    }
  }
}
