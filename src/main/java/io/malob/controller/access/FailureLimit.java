package io.malob.controller.access;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits failures per source: ten in a burst, then one in six seconds. IPv6 sources count by their
 * /64. Remembers max {@value #MAX_SOURCES} sources, those that failed last. Safe for use by several
 * threads.
 */
public final class FailureLimit {
  static final int MAX_SOURCES = 1024;
  static final int AT_ONCE = 10;
  static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(6);

  private final LongSupplier nanoTime;

  /** By source, the time when all of its failures are forgotten. */
  private final Cache<String, Long> forgottenNanos =
      CacheBuilder.newBuilder().concurrencyLevel(1).maximumSize(MAX_SOURCES).build();

  /** A limit without failures. */
  public FailureLimit(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Counts a failure.
   *
   * @return 0 if it is within the limit, else the seconds until the next allowed failure
   */
  public synchronized int failed(String address) {
    String source = source(address);
    long now = nanoTime.getAsLong();
    @Nullable Long forgotten = forgottenNanos.getIfPresent(source);
    long debt = forgotten == null ? 0 : Math.max(0, forgotten - now);
    long over = debt - (AT_ONCE - 1) * INTERVAL_NANOS;
    if (over > 0) {
      return (int) (over / TimeUnit.SECONDS.toNanos(1)) + 1;
    }
    forgottenNanos.put(source, now + debt + INTERVAL_NANOS);
    return 0;
  }

  /** How many sources are remembered. */
  long sources() {
    return forgottenNanos.size();
  }

  /** The network that counts as one source: an IPv4 address, or an IPv6 /64. */
  static String source(String address) {
    if (!address.contains(":")) {
      return address;
    }
    try {
      // a numeric address needs no DNS query
      byte[] bytes = InetAddress.getByName(address).getAddress();
      return Arrays.toString(Arrays.copyOf(bytes, 8));
    } catch (UnknownHostException e) {
      return address;
    }
  }
}
