package io.malob.cluster.etcd;

import io.malob.cluster.etcd.Etcd.Item;
import io.malob.json.JsonInput;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch, over connections to one server after the other. Except for {@link #close}, all happens
 * in order on one executor.
 */
final class EtcdWatch implements Etcd.Watch {
  private static final Logger LOG = LoggerFactory.getLogger(EtcdWatch.class);

  /**
   * Before the next connection after one that has failed; twice as long if that had failed at once,
   * up to the max. Without a quorum, all watches fail again and again.
   */
  private static final long PAUSE_MILLIS = 100;

  private static final long MAX_PAUSE_MILLIS = 1_000;

  private final HttpEtcd client;
  private final Executor executor;
  private final String beginning;
  private final Etcd.Watcher watcher;

  /** The revision of the first change that has not been reported. */
  private long next;

  private long pauseMillis = PAUSE_MILLIS;
  private boolean isRefusalLogged;
  private volatile boolean isClosed;

  /** The connection in use; null during a pause. */
  private volatile @Nullable Connection connection;

  EtcdWatch(
      HttpEtcd client,
      Executor executor,
      String beginning,
      long fromRevision,
      Etcd.Watcher watcher) {
    this.client = client;
    this.executor = executor;
    this.beginning = beginning;
    this.next = fromRevision;
    this.watcher = watcher;
  }

  /** Connects to the server in use. */
  void open() {
    execute(
        () -> {
          Connection made = new Connection(client.gateway.server());
          connection = made;
          made.open();
        });
  }

  /** The server that it is connected to. */
  Optional<URI> server() {
    Connection now = connection;
    return now == null ? Optional.empty() : Optional.of(now.server);
  }

  /** The server does not answer: goes on at another one. */
  void leave(URI server) {
    execute(
        () -> {
          Connection now = connection;
          if (now != null && now.server.equals(server)) {
            now.ended("no answer in time");
          }
        });
  }

  /** Ends the watch: etcd no longer has what it has reported. */
  void lost() {
    execute(
        () -> {
          close();
          watcher.lost();
        });
  }

  private void execute(Runnable work) {
    try {
      executor.execute(
          () -> {
            if (!isClosed) {
              work.run();
            }
          });
    } catch (RejectedExecutionException e) {
      // the client is closed
    }
  }

  @Override
  public void close() {
    isClosed = true;
    client.watches.remove(this);
    Connection now = connection;
    if (now != null) {
      now.cancel();
    }
  }

  /** One connection; what it reports after its end has no effect. */
  private final class Connection implements Flow.Subscriber<String> {
    private final URI server;
    private final long sinceNanos = System.nanoTime();
    private volatile Flow.@Nullable Subscription lines;

    Connection(URI server) {
      this.server = server;
    }

    void open() {
      CompletableFuture<?> unused =
          client.gateway.stream(
                  server, "/v3/watch", client.messages.watch(beginning, next), client.timeout, this)
              .whenComplete(
                  (response, thrown) ->
                      whileCurrent(
                          () ->
                              ended(
                                  thrown == null ? "it ended" : EtcdException.of(thrown).text())));
    }

    private void whileCurrent(Runnable work) {
      execute(
          () -> {
            if (connection == this) {
              work.run();
            }
          });
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      lines = subscription;
      subscription.request(Long.MAX_VALUE);
      if (isClosed || connection != this) {
        subscription.cancel();
      }
    }

    @Override
    public void onNext(String line) {
      whileCurrent(() -> read(line));
    }

    @Override
    public void onError(Throwable thrown) {
      whileCurrent(() -> ended(EtcdException.of(thrown).text()));
    }

    @Override
    public void onComplete() {
      whileCurrent(() -> ended("it ended"));
    }

    private void read(String line) {
      try {
        JsonInput<EtcdException> message =
            EtcdMessages.parse(line.getBytes(StandardCharsets.UTF_8));
        if (message.get("error").isThere()) {
          failed(EtcdException.of(message));
        } else {
          report(message.get("result"));
        }
      } catch (EtcdException e) {
        ended(e.text());
      }
    }

    private void report(JsonInput<EtcdException> result) throws EtcdException {
      if (EtcdMessages.flag(result.get("canceled"))) {
        if (EtcdMessages.number(result.get("compact_revision")) > 0) {
          EtcdWatch.this.close();
          call(watcher::lost);
        } else {
          JsonInput<EtcdException> why = result.get("cancel_reason");
          failed(EtcdException.of(why.isThere() ? why.text() : "cancelled", 0));
        }
        return;
      }
      for (JsonInput<EtcdException> event : EtcdMessages.elements(result.get("events"))) {
        Item item = client.messages.item(event.get("kv"));
        JsonInput<EtcdException> type = event.get("type");
        if (type.isThere() && type.text().equals("DELETE")) {
          call(() -> watcher.deleted(item.key(), item.modRevision()));
        } else {
          call(() -> watcher.changed(item));
        }
        next = item.modRevision() + 1;
      }
    }

    private void call(Runnable call) {
      try {
        call.run();
      } catch (RuntimeException e) {
        LOG.error("etcd_watcher_failed prefix=\"{}\"", beginning, e);
      }
    }

    private void failed(EtcdException failure) {
      if (failure.effect() == EtcdException.Effect.LOGGED_OUT) {
        client.gateway.logOut();
      } else if (failure.effect() == EtcdException.Effect.REFUSED && !isRefusalLogged) {
        isRefusalLogged = true;
        LOG.warn("etcd_watch_refused server=\"{}\" why=\"{}\"", server, failure.text());
      }
      ended(failure.text());
    }

    /** The watch goes on at the next server, after a pause. */
    void ended(String why) {
      LOG.debug("etcd_watch_ended server=\"{}\" why=\"{}\"", server, why);
      connection = null;
      cancel();
      client.gateway.leave(server);
      long lastedNanos = System.nanoTime() - sinceNanos;
      pauseMillis =
          lastedNanos >= TimeUnit.MILLISECONDS.toNanos(MAX_PAUSE_MILLIS)
              ? PAUSE_MILLIS
              : Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
      boolean unused = client.later(EtcdWatch.this::open, pauseMillis);
    }

    void cancel() {
      Flow.Subscription now = lines;
      if (now != null) {
        now.cancel();
      }
    }
  }
}
