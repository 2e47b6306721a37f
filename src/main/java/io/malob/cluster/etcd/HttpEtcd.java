package io.malob.cluster.etcd;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.malob.cluster.etcd.EtcdException.Effect;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * etcd through the JSON gateway of its servers. A server that fails is left for the next one. A
 * call that may be repeated is given half the time at the first server, the rest at the others; a
 * transaction is sent again only if it certainly had no effect.
 */
public final class HttpEtcd implements Etcd {
  /** After all servers have failed. */
  private static final long PAUSE_MILLIS = 50;

  private static final int UNAVAILABLE = 503;

  final Duration timeout;
  final Gateway gateway;
  final EtcdMessages messages;

  /** The open watches. */
  final Set<EtcdWatch> watches = ConcurrentHashMap.newKeySet();

  private final History history = new History();
  private final ScheduledExecutorService timer;
  private final ExecutorService workers;

  /** A client; it connects when it is used. */
  public HttpEtcd(EtcdAccess access) {
    timeout = access.timeout();
    gateway = new Gateway(access);
    messages = new EtcdMessages(access.prefix());
    timer =
        Executors.newSingleThreadScheduledExecutor(
            new ThreadFactoryBuilder().setNameFormat("etcd-timer").setDaemon(true).build());
    workers =
        Executors.newCachedThreadPool(
            new ThreadFactoryBuilder().setNameFormat("etcd-%d").setDaemon(true).build());
    long half = timeout.toMillis() / 2;
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(this::checkServers, half, half, TimeUnit.MILLISECONDS);
  }

  /** Whether etcd still has all changes that it has reported. */
  public History history() {
    return history;
  }

  @Override
  public CompletableFuture<Reading> read(String prefix) {
    return ask("/v3/kv/range", messages.range(prefix), true, checked(messages::reading));
  }

  @Override
  public CompletableFuture<Outcome> commit(List<Condition> conditions, List<Change> changes) {
    return ask(
        "/v3/kv/txn", messages.transaction(conditions, changes), false, checked(messages::outcome));
  }

  @Override
  public CompletableFuture<Lease> grant(Duration lifetime) {
    long seconds = (lifetime.toMillis() + 999) / 1000;
    // a lease that is not used after an answer was lost ends by itself
    return ask(
        "/v3/lease/grant",
        Json.bytes(Json.object().put("TTL", Long.toString(seconds))),
        true,
        answer ->
            new Lease(
                EtcdMessages.number(answer.get("ID")),
                Duration.ofSeconds(EtcdMessages.number(answer.get("TTL")))));
  }

  @Override
  public CompletableFuture<Boolean> keepAlive(long lease) {
    return ask(
        "/v3/lease/keepalive",
        lease(lease),
        true,
        answer -> EtcdMessages.number(answer.get("result").get("TTL")) > 0);
  }

  @Override
  public CompletableFuture<Void> revoke(long lease) {
    return done("/v3/lease/revoke", lease(lease), "lease not found");
  }

  /** A decoder of answers that have the latest revision, which must not be smaller than before. */
  private <T> Decoder<T> checked(Decoder<T> decoder) {
    History.Mark before = history.mark();
    return answer -> {
      T decoded = decoder.of(answer);
      if (history.answered(before, EtcdMessages.clusterId(answer), EtcdMessages.revision(answer))) {
        watches.forEach(EtcdWatch::lost);
      }
      return decoded;
    };
  }

  private static byte[] lease(long lease) {
    return Json.bytes(Json.object().put("ID", Long.toString(lease)));
  }

  /** Asks for what may have been done already: that refusal is as good as success. */
  private CompletableFuture<Void> done(String path, byte[] body, String refusal) {
    return ask(path, body, true, answer -> true)
        .exceptionallyCompose(
            thrown ->
                String.valueOf(thrown.getMessage()).contains(refusal)
                    ? CompletableFuture.completedFuture(true)
                    : CompletableFuture.failedFuture(thrown))
        .thenAccept(isDone -> {});
  }

  /** The latest revision. */
  public CompletableFuture<Long> revision() {
    return ask("/v3/kv/range", messages.count(false), true, checked(EtcdMessages::revision));
  }

  /**
   * Has etcd forget the values that all its keys, also those of others, had before a revision. It
   * may have forgotten them already.
   */
  public CompletableFuture<Void> compact(long revision) {
    return done(
        "/v3/kv/compaction",
        Json.bytes(Json.object().put("revision", Long.toString(revision))),
        "has been compacted");
  }

  /** How full the databases of those servers are that answer. */
  public CompletableFuture<List<EtcdSpace>> space() {
    List<CompletableFuture<Optional<EtcdSpace>>> all =
        gateway.servers().stream().map(this::space).toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> all.stream().flatMap(each -> each.join().stream()).toList());
  }

  private CompletableFuture<Optional<EtcdSpace>> space(URI server) {
    return gateway
        .post(server, "/v3/maintenance/status", Json.bytes(Json.object()), timeout)
        .thenCombine(
            gateway.get(server, "/metrics", timeout).exceptionally(thrown -> ""),
            (status, metrics) -> EtcdSpace.of(server, status.body(), metrics))
        .exceptionally(thrown -> Optional.empty());
  }

  @Override
  public Watch watch(String prefix, long fromRevision, Watcher watcher) {
    EtcdWatch watch =
        new EtcdWatch(
            this, MoreExecutors.newSequentialExecutor(workers), prefix, fromRevision, watcher);
    watches.add(watch);
    watch.open();
    return watch;
  }

  /**
   * A server that is frozen, or whose machine is gone, ends no stream: its watches go on at another
   * one if it does not answer.
   */
  private void checkServers() {
    // also watches that go on after a restoration report nothing until etcd has caught up
    CompletableFuture<?> unused = revision();
    watches.stream().flatMap(watch -> watch.server().stream()).distinct().forEach(this::check);
  }

  private void check(URI server) {
    CompletableFuture<?> unused =
        gateway
            .post(server, "/v3/kv/range", messages.count(true), timeout.dividedBy(2))
            .whenComplete(
                (response, thrown) -> {
                  if (response == null || response.statusCode() == UNAVAILABLE) {
                    gateway.leave(server);
                    watches.forEach(watch -> watch.leave(server));
                  }
                });
  }

  /** Runs a task after a pause; false if the client is closed. */
  boolean later(Runnable task, long pauseMillis) {
    try {
      ScheduledFuture<?> unused = timer.schedule(task, pauseMillis, TimeUnit.MILLISECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    List.copyOf(watches).forEach(EtcdWatch::close);
    timer.shutdownNow();
    workers.shutdown();
  }

  /** Reads what a call returns from an answer. */
  private interface Decoder<T> {
    T of(JsonInput<EtcdException> answer) throws EtcdException;
  }

  private <T> CompletableFuture<T> ask(
      String path, byte[] body, boolean isRepeatable, Decoder<T> decoder) {
    Call<T> call = new Call<>(path, body, isRepeatable, decoder);
    call.attempt();
    return call.result;
  }

  /** A request, sent to one server after the other. Its fields are used by one thread at a time. */
  private final class Call<T> {
    private final String path;
    private final byte[] body;
    private final boolean isRepeatable;
    private final Decoder<T> decoder;
    private final long deadline = System.nanoTime() + timeout.toNanos();
    private final Map<URI, String> problems = new LinkedHashMap<>();
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private int attempts;
    private boolean hasLoggedInAgain;

    /** Whether the latest attempt had too little time left to connect. */
    private boolean isShort;

    Call(String path, byte[] body, boolean isRepeatable, Decoder<T> decoder) {
      this.path = path;
      this.body = body;
      this.isRepeatable = isRepeatable;
      this.decoder = decoder;
    }

    void attempt() {
      long left = deadline - System.nanoTime();
      if (left < TimeUnit.MILLISECONDS.toNanos(1)) {
        fail();
        return;
      }
      URI server = gateway.server();
      Duration patience = Duration.ofNanos(left);
      Duration half = timeout.dividedBy(2);
      if (isRepeatable && patience.compareTo(half) > 0) {
        patience = half;
      }
      isShort = patience.compareTo(Gateway.CONNECT) < 0;
      CompletableFuture<?> unused =
          gateway
              .post(server, path, body, patience)
              .whenComplete((response, thrown) -> answered(server, response, thrown));
    }

    private void answered(
        URI server, @Nullable HttpResponse<byte[]> response, @Nullable Throwable thrown) {
      try {
        if (response == null) {
          failed(server, EtcdException.of(thrown == null ? new IllegalStateException() : thrown));
          return;
        }
        JsonInput<EtcdException> answer = EtcdMessages.parse(response.body());
        if (response.statusCode() == Gateway.OK && !answer.get("error").isThere()) {
          result.complete(decoder.of(answer));
        } else {
          failed(server, EtcdException.of(answer));
        }
      } catch (EtcdException e) {
        failed(server, e);
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    }

    private void failed(URI server, EtcdException failure) {
      if (isShort && failure.isSilence()) {
        problems.putIfAbsent(server, failure.text());
      } else {
        problems.put(server, failure.text());
      }
      switch (failure.effect()) {
        case FULL ->
            result.completeExceptionally(
                new EtcdException(
                    Effect.FULL,
                    "etcd's database has reached its quota, and takes no changes (NOSPACE)"));
        case REFUSED ->
            result.completeExceptionally(
                new EtcdException(Effect.REFUSED, "etcd refused the request: " + failure.text()));
        case LOGGED_OUT -> {
          gateway.logOut();
          if (hasLoggedInAgain) {
            fail();
          } else {
            hasLoggedInAgain = true;
            attempt();
          }
        }
        case NONE -> {
          gateway.leave(server);
          again();
        }
        case UNKNOWN -> {
          gateway.leave(server);
          if (isRepeatable) {
            again();
          } else {
            fail();
          }
        }
      }
    }

    private void again() {
      attempts++;
      if (attempts % gateway.servers().size() != 0) {
        attempt();
        return;
      }
      if (!later(this::attempt, PAUSE_MILLIS)) {
        fail();
      }
    }

    private void fail() {
      String all =
          problems.entrySet().stream()
              .map(problem -> problem.getKey() + ": " + problem.getValue())
              .collect(Collectors.joining("; "));
      result.completeExceptionally(
          new EtcdException(
              "etcd has no quorum or cannot be reached" + (all.isEmpty() ? "" : " (" + all + ")"),
              null));
    }
  }
}
