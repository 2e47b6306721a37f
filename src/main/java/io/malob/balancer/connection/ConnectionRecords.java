package io.malob.balancer.connection;

import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.connection.Connection.Left;
import io.malob.balancer.connection.Connection.Route;
import io.malob.openflow.Cookie;
import io.malob.openflow.RuleCounts;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.U64;

/**
 * Records connections when they lose their rules. What a rule has counted comes with the notice of
 * its end, that of the replies' rule some seconds after the other: until both have told it, or it
 * is too late, a record waits here. Bounded: when too many wait, further ones are recorded without
 * bytes. Thread-safe; never blocks.
 */
public final class ConnectionRecords {
  /** Nothing is recorded. */
  static final ConnectionRecords NONE =
      new ConnectionRecords(null, Clock.systemUTC(), System::nanoTime);

  static final int MAX_WAITING = 65_536;

  /** The replies' rule lives five seconds longer than the other, and switches look now and then. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final @Nullable Consumer<ConnectionRecord> sink;
  private final Clock clock;
  private final LongSupplier nanoTime;
  private final Map<Integer, Waiting> byGeneration = new ConcurrentHashMap<>();

  private record Waiting(ConnectionRecord known, long sinceNanos) {
    boolean isComplete() {
      return known.requestBytes() != null && known.replyBytes() != null;
    }

    boolean isOf(U64 cookie) {
      return known.vipNumber() == Cookie.vipNumber(cookie)
          && known.memberNumber() == Cookie.memberNumber(cookie);
    }
  }

  /**
   * Records that go somewhere.
   *
   * @param sink takes each record, on any thread, at once; null if there is nobody who wants them
   * @param clock tells the time of day
   */
  public ConnectionRecords(
      @Nullable Consumer<ConnectionRecord> sink, Clock clock, LongSupplier nanoTime) {
    this.sink = sink;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Whether connections are recorded: switches are to tell the end of both of their rules. */
  boolean areKept() {
    return sink != null;
  }

  /**
   * A connection has lost its rules, or is about to.
   *
   * @param left as it was until then
   */
  public void left(Connection connection, Left left, End end) {
    @Nullable Consumer<ConnectionRecord> taker = sink;
    if (taker == null) {
      return;
    }
    long now = nanoTime.getAsLong();
    ConnectionRecord known = record(connection, left, end, now);
    if (byGeneration.size() >= MAX_WAITING) {
      taker.accept(known);
      return;
    }
    @Nullable Waiting earlier = byGeneration.put(connection.generation(), new Waiting(known, now));
    if (earlier != null) {
      taker.accept(earlier.known); // it woke, and lost its rules again
    }
  }

  /**
   * A new connection has begun with the rules of one that its client has ended. What they count is
   * told in the end, with the record of the new one.
   *
   * @param earlier the connection as it was until then
   */
  public void replaced(Connection connection, Left earlier) {
    @Nullable Consumer<ConnectionRecord> taker = sink;
    if (taker != null) {
      taker.accept(record(connection, earlier, End.CLIENT, nanoTime.getAsLong()));
    }
  }

  private ConnectionRecord record(Connection connection, Left left, End end, long nowNanos) {
    return new ConnectionRecord(
        clock.instant(),
        Math.max(0, nowNanos - left.openedAtNanos()),
        connection.request(),
        connection.requestAtMember(),
        connection.vipNumber(),
        connection.server().number(),
        connection.algorithm().name(),
        path(left.route(), true),
        path(left.route(), false),
        left.wasEnded() ? End.CLIENT : end,
        null,
        null);
  }

  private static @Nullable Path path(@Nullable Route route, boolean isRequest) {
    return route == null ? null : (isRequest ? route.request() : route.reply()).path();
  }

  /** The rule of some connection has ended, for whatever reason. */
  public void ruleEnded(U64 cookie, RuleCounts counts) {
    @Nullable Consumer<ConnectionRecord> taker = sink;
    if (taker == null) {
      return;
    }
    boolean isReply = Cookie.is(cookie, Cookie.Kind.REPLY);
    byGeneration.computeIfPresent(
        Cookie.generation(cookie),
        (generation, waiting) -> {
          if (!waiting.isOf(cookie)) {
            return waiting;
          }
          Waiting more =
              new Waiting(
                  isReply
                      ? waiting.known.with(null, counts.bytes())
                      : waiting.known.with(counts.bytes(), null),
                  waiting.sinceNanos);
          if (more.isComplete()) {
            taker.accept(more.known);
            return null;
          }
          return more;
        });
  }

  /** Records what has waited for too long as it is. To be called every few seconds. */
  public void sweep() {
    @Nullable Consumer<ConnectionRecord> taker = sink;
    if (taker != null) {
      long now = nanoTime.getAsLong();
      flush(taker, now - PATIENCE_NANOS);
    }
  }

  /** Records all that waits as it is: the controller ends. */
  public void end() {
    @Nullable Consumer<ConnectionRecord> taker = sink;
    if (taker != null) {
      flush(taker, nanoTime.getAsLong());
    }
  }

  private void flush(Consumer<ConnectionRecord> taker, long untilNanos) {
    byGeneration.forEach(
        (generation, waiting) -> {
          if (waiting.sinceNanos - untilNanos <= 0 && byGeneration.remove(generation, waiting)) {
            taker.accept(waiting.known);
          }
        });
  }
}
