package io.malob.balancer.bucket;

import io.malob.algorithm.Server;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Gives connections of tracked VIPs the ordinals of the paths of their replies in turn, so that
 * several equally good paths carry about as much. Thread-safe; nothing blocks.
 */
public final class ReplyOrdinals {
  /** The paths of replies from one switch to another, and the connections that take them. */
  private record Pair(int vipNumber, DatapathId clientEdge, DatapathId memberEdge) {}

  private record Turn(int vipNumber, DatapathId clientEdge, int memberNumber) {}

  private final Map<Pair, Integer> paths = new ConcurrentHashMap<>();
  private final AtomicLong version = new AtomicLong();
  private final Map<Turn, AtomicInteger> turns = new ConcurrentHashMap<>();

  /**
   * The number of paths has changed.
   *
   * @param count from 1 on
   */
  public void publish(int vipNumber, DatapathId clientEdge, DatapathId memberEdge, int count) {
    @Nullable Integer before = paths.put(new Pair(vipNumber, clientEdge, memberEdge), count);
    if ((before == null ? 1 : before) != count) {
      version.incrementAndGet();
    }
  }

  /** A number that changes with the number of paths of any VIP. */
  public long version() {
    return version.get();
  }

  /** Forgets all of a VIP. */
  public void forget(int vipNumber) {
    paths.keySet().removeIf(each -> each.vipNumber == vipNumber);
    turns.keySet().removeIf(each -> each.vipNumber == vipNumber);
  }

  /** The number of paths of a member's replies to the clients of a switch, from 1 on. */
  public int paths(int vipNumber, DatapathId clientEdge, Server member) {
    return paths.getOrDefault(new Pair(vipNumber, clientEdge, member.at().switchId()), 1);
  }

  /**
   * The ordinal of the next connection from a switch to a member, from 1 on: those of one client's
   * edge and member take all paths in turn.
   */
  public int next(int vipNumber, DatapathId clientEdge, Server member) {
    int turn =
        turns
            .computeIfAbsent(
                new Turn(vipNumber, clientEdge, member.number()), any -> new AtomicInteger())
            .getAndIncrement();
    return 1 + Math.floorMod(turn, paths(vipNumber, clientEdge, member));
  }
}
