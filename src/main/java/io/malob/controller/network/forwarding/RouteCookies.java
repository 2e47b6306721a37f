package io.malob.controller.network.forwarding;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.projectfloodlight.openflow.types.U64;

/**
 * The cookies of forwarding's rules have a number of the path that the rule is part of, so that all
 * rules of a path can be deleted when one of its links goes. Safe for use by several threads.
 */
final class RouteCookies {
  private static final int NUMBERS = 1 << 24;

  /**
   * The max number of paths; beyond, those unused for longest are forgotten, and their rules
   * expire.
   */
  private static final int MAX_PATHS = 100_000;

  /** From a random number: switches may have rules of other controllers, and of earlier ones. */
  private final AtomicInteger next = new AtomicInteger(new Random().nextInt(NUMBERS));

  private final LoadingCache<Path, U64> cookies =
      CacheBuilder.newBuilder().maximumSize(MAX_PATHS).build(CacheLoader.from(this::newCookie));

  /** The cookie of the rules of a path. */
  U64 of(Path path) {
    return cookies.getUnchecked(path);
  }

  private U64 newCookie() {
    return Cookie.of(CookieKind.ROUTE, Integer.remainderUnsigned(next.incrementAndGet(), NUMBERS));
  }

  /** Removes the paths over a link, and returns them with their cookies. */
  Map<Path, U64> removeOver(DirectedLink link) {
    Map<Path, U64> removed = new HashMap<>();
    cookies
        .asMap()
        .forEach(
            (path, cookie) -> {
              if (path.links().contains(link)) {
                removed.put(path, cookie);
              }
            });
    cookies.invalidateAll(removed.keySet());
    return removed;
  }
}
