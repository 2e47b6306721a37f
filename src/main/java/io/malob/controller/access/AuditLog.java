package io.malob.controller.access;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who changes what. A change has one line before it takes effect, and one with its result. Refused
 * requests have one line for each client and minute, for the {@value #MAX_CLIENTS} clients that
 * were refused last. Safe for use by several threads.
 */
public final class AuditLog {
  /** The logger, whose level no request can change. */
  public static final String LOGGER = "io.malob.audit";

  static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final int MAX_CLIENTS = 1_024;

  private static final Logger logger = LoggerFactory.getLogger(LOGGER);

  private final LongSupplier nanoTime;
  private final AtomicLong requests = new AtomicLong();
  private final Cache<String, Refusals> refusals =
      CacheBuilder.newBuilder().concurrencyLevel(1).maximumSize(MAX_CLIENTS).build();

  /**
   * A log without refusals.
   *
   * @param nanoTime counts nanoseconds
   */
  public AuditLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The refused requests of one client since a line of the log. */
  private record Refusals(long lineNanos, long count) {}

  /** Logs a change that is about to be made; returns its number, for its result. */
  public long begin(RequestHead head, Principal principal) {
    long number = requests.incrementAndGet();
    logger.info(
        "audit request={} who={} from={} method={} path=\"{}\"",
        number,
        principal.name(),
        head.client(),
        head.method(),
        head.path());
    return number;
  }

  /** Logs the result of a change. */
  public void end(long number, int status) {
    logger.info("audit_result request={} status={}", number, status);
  }

  /** Counts a refused request, and logs it if its client had no line within the last minute. */
  public void refused(RequestHead head, Optional<Principal> principal, int status) {
    String who = principal.map(Principal::name).orElse("nobody");
    long count = counted(who + "@" + FailureLimit.source(head.client()));
    if (count > 0) {
      logger.warn(
          "access_refused who={} from={} method={} path=\"{}\" status={} count={}",
          who,
          head.client(),
          head.method(),
          head.path(),
          status,
          count);
    }
  }

  /** How many requests the line is for; 0 if it is not due. */
  private synchronized long counted(String client) {
    long now = nanoTime.getAsLong();
    @Nullable Refusals known = refusals.getIfPresent(client);
    if (known == null) {
      refusals.put(client, new Refusals(now, 0));
      return 1;
    }
    long count = known.count + 1;
    boolean isDue = now - known.lineNanos >= INTERVAL_NANOS;
    refusals.put(client, isDue ? new Refusals(now, 0) : new Refusals(known.lineNanos, count));
    return isDue ? count : 0;
  }
}
