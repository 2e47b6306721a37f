package io.malob.controller.network.forwarding;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.projectfloodlight.openflow.types.U64;

/**
 * The cookies of forwarding's rules: 12 bits application, and in the lowest 24 bits a number for
 * the path that the rule is part of, so that all rules of a path can be deleted when one of its
 * links goes. Safe for use by several threads.
 */
final class RouteCookies {
  /** Any rule of forwarding. */
  static final U64 APPLICATION_MASK = U64.of(0xfffL << 52);

  /** The letters FOR on the keys of a telephone. */
  private static final long APPLICATION = 0x367L << 52;

  private static final int NUMBERS = 1 << 24;

  /** Beyond this, paths are forgotten; their rules go by idle time-out only. */
  private static final int MOST_PATHS = 100_000;

  private final ConcurrentHashMap<Path, U64> cookies = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger();

  /** A cookie of this application, of no path; to be used with {@link #APPLICATION_MASK}. */
  static U64 any() {
    return U64.of(APPLICATION);
  }

  /** The cookie of the rules of a path. */
  U64 of(Path path) {
    U64 known = cookies.get(path);
    if (known != null) {
      return known;
    }
    if (cookies.size() >= MOST_PATHS) {
      cookies.clear();
    }
    return cookies.computeIfAbsent(path, any -> newCookie());
  }

  private U64 newCookie() {
    return U64.of(APPLICATION | Integer.remainderUnsigned(next.incrementAndGet(), NUMBERS));
  }

  /** Forgets the paths over a link, and gives them back with their cookies. */
  Map<Path, U64> removeOver(DirectedLink link) {
    Map<Path, U64> removed = new HashMap<>();
    cookies.forEach(
        (path, cookie) -> {
          if (path.links().contains(link)) {
            removed.put(path, cookie);
          }
        });
    removed.keySet().forEach(cookies::remove);
    return removed;
  }
}
