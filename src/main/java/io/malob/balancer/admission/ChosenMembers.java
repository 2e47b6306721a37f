package io.malob.balancer.admission;

import io.malob.algorithm.FiveTuple;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The members of connections that were opened a moment ago. Before their switch tracks them,
 * further first packets can come to the controller; they go to the same members. Thread-safe; never
 * blocks.
 *
 * <p>An entry is remembered for five to ten seconds, or until as many others as fit have followed.
 */
public final class ChosenMembers {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final int max;
  private volatile Period now;

  /** A connection; a client that uses its port again begins with another sequence number. */
  private record Opening(FiveTuple request, int sequence) {}

  private record Period(
      Map<Opening, Integer> members, Map<Opening, Integer> before, long sinceNanos) {}

  /**
   * Without members.
   *
   * @param max how many are remembered at least, if they are not older; at most twice as many
   */
  public ChosenMembers(int max, long nowNanos) {
    this.max = max;
    this.now = new Period(new ConcurrentHashMap<>(), Map.of(), nowNanos);
  }

  /** The number of the member of a packet's connection; null if it is not remembered. */
  @Nullable Integer find(FiveTuple request, Arrival packet) {
    Opening opening = openingOf(request, packet);
    Period period = at(packet.nanos());
    @Nullable Integer member = period.members.get(opening);
    return member == null ? period.before.get(opening) : member;
  }

  /** Remembers the member of a packet's connection. */
  void remember(FiveTuple request, Arrival packet, int memberNumber) {
    at(packet.nanos()).members.put(openingOf(request, packet), memberNumber);
  }

  private static Opening openingOf(FiveTuple request, Arrival packet) {
    return new Opening(request, packet.packet().isTcpSyn() ? packet.packet().tcpSequence() : 0);
  }

  private Period at(long nanos) {
    Period period = now;
    long age = nanos - period.sinceNanos;
    if (age < PERIOD_NANOS && period.members.size() < max) {
      return period;
    }
    // if two threads begin a period at once, one of them is lost: then a packet is placed again
    Map<Opening, Integer> before = age < 2 * PERIOD_NANOS ? period.members : Map.of();
    Period next = new Period(new ConcurrentHashMap<>(), before, nanos);
    now = next;
    return next;
  }
}
