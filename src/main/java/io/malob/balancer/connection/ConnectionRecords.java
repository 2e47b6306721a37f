package io.malob.balancer.connection;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.connection.Connection.Route;
import io.malob.module.NanoTicker;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleCounts;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.U64;

/**
 * Records connections when they lose their rules. The notice of a rule's end has what the rule
 * counted, and the replies' rule ends some seconds after the requests'. A record waits here until
 * both notices have come, or for 15 s. Bounded: when too many wait, the oldest are recorded with
 * the bytes that are known. Thread-safe.
 */
public final class ConnectionRecords {
  /**
   * The rule for replies expires five seconds after the other one, and switches check for expiry
   * only periodically.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /** Nothing is recorded. */
  static final ConnectionRecords NONE =
      new ConnectionRecords(null, Clock.systemUTC(), System::nanoTime);

  private static final int MAX_WAITING = 65_536;

  private final @Nullable Consumer<ConnectionRecord> sink;
  private final Clock clock;
  private final LongSupplier nanoTime;

  /** Every entry that leaves it is recorded, regardless of the cause. */
  private final Cache<Integer, Waiting> byGeneration;

  /** What rules counted whose connections went on without them, by generation. */
  private final Cache<Integer, Counted> counted =
      CacheBuilder.newBuilder().maximumSize(MAX_WAITING).build();

  /** The bytes of both directions; null if no rule has counted any. */
  private record Counted(@Nullable Long request, @Nullable Long reply) {
    Counted plus(Counted other) {
      return new Counted(sum(request, other.request), sum(reply, other.reply));
    }

    private static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
      return one == null ? other : other == null ? one : (Long) (one + other);
    }
  }

  private static final class Waiting {
    private ConnectionRecord known;

    Waiting(ConnectionRecord known) {
      this.known = known;
    }

    synchronized ConnectionRecord known() {
      return known;
    }

    /** Adds what a rule with this cookie counted; true if all is known now. */
    synchronized boolean add(U64 cookie, long bytes) {
      if (known.vipNumber() != Cookie.vipNumber(cookie)
          || known.memberNumber() != Cookie.memberNumber(cookie)) {
        return false;
      }
      known =
          Cookie.is(cookie, CookieKind.REPLY) ? known.with(null, bytes) : known.with(bytes, null);
      return known.requestBytes() != null && known.replyBytes() != null;
    }
  }

  /**
   * Records that go somewhere.
   *
   * @param sink receives each record at once, on any thread; null if connections are not recorded
   * @param clock the time of day
   */
  public ConnectionRecords(
      @Nullable Consumer<ConnectionRecord> sink, Clock clock, LongSupplier nanoTime) {
    this.sink = sink;
    this.clock = clock;
    this.nanoTime = nanoTime;
    byGeneration =
        CacheBuilder.newBuilder()
            .maximumSize(MAX_WAITING)
            .expireAfterWrite(PATIENCE)
            .ticker(new NanoTicker(nanoTime))
            .removalListener(this::take)
            .build();
  }

  private void take(RemovalNotification<Integer, Waiting> removal) {
    if (sink != null) {
      sink.accept(removal.getValue().known());
    }
  }

  /** Whether connections are recorded, so that switches must report the end of both rules. */
  boolean areKept() {
    return sink != null;
  }

  /**
   * A connection has lost its rules, or is about to.
   *
   * @param left as it was until then
   */
  public void left(Connection connection, Effects left, End end) {
    if (sink != null) {
      // if it was reactivated and lost its rules again, the earlier record leaves
      ConnectionRecord known = record(connection, left, end, nanoTime.getAsLong());
      @Nullable Counted before = counted.asMap().remove(connection.generation());
      byGeneration.put(
          connection.generation(),
          new Waiting(before == null ? known : known.with(before.request, before.reply)));
    }
  }

  /**
   * A rule of a connection has timed out. If its other rule keeps it in use, its record is due
   * later.
   */
  public void ruleTimedOut(Connection connection, boolean isRequest, RuleCounts counts) {
    if (sink != null && connection.state().hasRules()) {
      Counted now =
          isRequest ? new Counted(counts.bytes(), null) : new Counted(null, counts.bytes());
      counted.asMap().merge(connection.generation(), now, Counted::plus);
    }
  }

  /**
   * A new connection has taken over the rules of an ended one. Their counters are part of the new
   * connection's record.
   *
   * @param before the connection as it was until then
   */
  public void replaced(Connection connection, Effects before) {
    if (sink != null) {
      sink.accept(record(connection, before, End.CLIENT, nanoTime.getAsLong()));
    }
  }

  private ConnectionRecord record(Connection connection, Effects left, End end, long nowNanos) {
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
        left.isEnded() ? End.CLIENT : end,
        null,
        null);
  }

  private static @Nullable Path path(@Nullable Route route, boolean isRequest) {
    return route == null ? null : (isRequest ? route.request() : route.reply()).path();
  }

  /** A rule of a connection has ended, for any reason. */
  public void ruleEnded(U64 cookie, RuleCounts counts) {
    if (sink == null) {
      return;
    }
    int generation = Cookie.generation(cookie);
    @Nullable Waiting waiting = byGeneration.getIfPresent(generation);
    if (waiting != null && waiting.add(cookie, counts.bytes())) {
      byGeneration.asMap().remove(generation, waiting);
    }
  }

  /** Records what has waited for too long as it is. To be called every few seconds. */
  public void sweep() {
    byGeneration.cleanUp();
  }

  /** Records all that waits as it is: the controller ends. */
  public void end() {
    byGeneration.invalidateAll();
  }
}
