package io.malob.controller.http;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * All open connections, within the limits. At the limit, a new connection replaces the connection
 * whose client has owed a request for longest: so clients that hold connections open cannot keep
 * others out, not even from the same address. Safe for use by several threads.
 */
final class HttpConnections {
  /** Below this time, a client that owes a request is not slow. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final String LOOPBACK = "loopback";

  private final HttpLimits limits;
  private final LongSupplier nanoTime;
  private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> bySource = new HashMap<>();
  private final AtomicLong heldBytes = new AtomicLong();

  HttpConnections(HttpLimits limits, LongSupplier nanoTime) {
    this.limits = limits;
    this.nanoTime = nanoTime;
  }

  HttpLimits limits() {
    return limits;
  }

  long now() {
    return nanoTime.getAsLong();
  }

  /** The source of an address: an IPv4 address, the /64 of an IPv6 address, or this machine. */
  static String sourceOf(InetAddress address) {
    if (address.isLoopbackAddress()) {
      return LOOPBACK;
    }
    byte[] bytes = address.getAddress();
    return bytes.length > 4 ? Arrays.toString(Arrays.copyOf(bytes, 8)) : address.getHostAddress();
  }

  /** Adds a connection; otherwise returns the reason. */
  synchronized Optional<String> enter(HttpConnection connection) {
    String source = connection.source();
    int limit = source.equals(LOOPBACK) ? limits.onLoopback() : limits.perAddress();
    if (bySource.getOrDefault(source, 0) >= limit
        && !makeRoom(each -> each.source().equals(source))) {
      return Optional.of("This address has " + limit + " connections, the maximum");
    }
    if (open.size() >= limits.connections() && !makeRoom(each -> true)) {
      return Optional.of("There are " + limits.connections() + " connections, the maximum");
    }
    open.add(connection);
    bySource.merge(source, 1, Integer::sum);
    return Optional.empty();
  }

  /** Removes a closed connection; further calls do nothing. */
  synchronized void leave(HttpConnection connection) {
    if (open.remove(connection)) {
      bySource.computeIfPresent(connection.source(), (any, count) -> count > 1 ? count - 1 : null);
    }
  }

  private boolean makeRoom(Predicate<HttpConnection> among) {
    long now = now();
    return endSlowest(each -> among.test(each) ? owingNanos(each, now) : 0);
  }

  private boolean endSlowest(ToLongFunction<HttpConnection> measure) {
    @Nullable HttpConnection slowest = largest(measure, PATIENCE_NANOS);
    if (slowest == null) {
      return false;
    }
    leave(slowest);
    slowest.giveUp();
    return true;
  }

  /**
   * Counts bytes that a connection holds. If the others hold too many, those whose clients have let
   * most wait for longest, in byte seconds, are closed: the total exceeds the limit by max one
   * connection. Returns whether that was enough; requests that are complete are not closed.
   */
  boolean hold(HttpConnection holder, long bytes) {
    heldBytes.addAndGet(bytes);
    while (heldBytes.get() - holder.heldBytes() > limits.heldBytes()) {
      long now = now();
      @Nullable HttpConnection slowest =
          largest(each -> each == holder ? 0 : each.heldBytes() * holdingMicros(each, now), 1);
      if (slowest == null) {
        return false;
      }
      slowest.giveUp();
    }
    return true;
  }

  /**
   * Gives up the response whose thread has waited for its client for longest, if it has done little
   * else. Returns whether there was one.
   */
  synchronized boolean endSlowestStream() {
    long now = now();
    return endSlowest(each -> each.streamWaitNanos(now));
  }

  /** Releases held bytes. */
  void release(long bytes) {
    heldBytes.addAndGet(-bytes);
  }

  private static long owingNanos(HttpConnection connection, long now) {
    long since = connection.owingSinceNanos();
    return since == HttpConnection.NEVER ? 0 : now - since;
  }

  private static long holdingMicros(HttpConnection connection, long now) {
    long since = connection.holdingSinceNanos();
    return since == HttpConnection.NEVER ? 0 : TimeUnit.NANOSECONDS.toMicros(now - since) + 1;
  }

  /** The connection with the largest measure; null if none reaches the min. */
  private @Nullable HttpConnection largest(ToLongFunction<HttpConnection> measure, long min) {
    @Nullable HttpConnection largest = null;
    long max = min - 1;
    for (HttpConnection each : open) {
      long size = measure.applyAsLong(each);
      if (size > max) {
        largest = each;
        max = size;
      }
    }
    return largest;
  }

  /** Closes overdue connections. */
  void sweep() {
    long now = now();
    for (HttpConnection each : open) {
      each.checkDeadline(now);
    }
  }

  /** How many are open. */
  int count() {
    return open.size();
  }

  /** How many bytes are held. */
  long held() {
    return heldBytes.get();
  }
}
