package io.malob.endhost;

import io.malob.json.RejectedException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The single writer of the host's configuration. Changes are made one at a time, in the order in
 * which they are requested: a change waits until the one before it is complete, a {@link #clear}
 * included, and starts from its result. Methods block; safe for use by several threads.
 */
final class ConfigurationWriter {
  /** The max time that a request waits for its change; the order is kept anyway. */
  private static final int ANSWER_MILLIS = 1_000;

  /** The time that the host has to answer resets before the rules are deleted. */
  private static final int LAST_RESETS_MILLIS = 300;

  private final Uplinks uplinks;
  private final UplinkChoice choice;
  private final WiredHost host;
  private final Executor serialExecutor;

  /** Fair, so that requests take effect in their order. Held during a change. */
  private final ReentrantLock change = new ReentrantLock(true);

  /**
   * The latest configuration that was accepted, guarded by {@link #change}. The uplinks' view shows
   * it only once the executor has applied it.
   */
  private Optional<HostNetwork> accepted = Optional.empty();

  /** Changes that are accepted but not made yet. */
  private final AtomicInteger underWay = new AtomicInteger();

  ConfigurationWriter(
      Uplinks uplinks, UplinkChoice choice, WiredHost host, Executor serialExecutor) {
    this.uplinks = uplinks;
    this.choice = choice;
    this.host = host;
    this.serialExecutor = serialExecutor;
  }

  /** Takes a configuration; one without an algorithm keeps that of the one before. */
  void configure(byte[] request) throws RejectedException {
    change.lock();
    try {
      apply(
          ConfigurationReader.network(
              request, accepted.map(HostNetwork::algorithm).orElse(HostNetwork.DEFAULT_ALGORITHM)));
    } finally {
      change.unlock();
    }
  }

  void setAlgorithm(byte[] request) throws RejectedException {
    String algorithm = ConfigurationReader.algorithm(request);
    change.lock();
    try {
      apply(configured().withAlgorithm(algorithm));
    } finally {
      change.unlock();
    }
  }

  void setCapacity(String uplink, byte[] request) throws RejectedException {
    OptionalLong bps = ConfigurationReader.capacity(request);
    change.lock();
    try {
      HostNetwork network = configured();
      if (network.uplinks().stream().noneMatch(each -> each.name().equals(uplink))) {
        throw RejectedException.notFound(
            String.format(
                "there is no uplink \"%s\", only %s",
                uplink, String.join(", ", network.uplinks().stream().map(Uplink::name).toList())));
      }
      uplinks.record(uplink, bps);
      awaitTurn();
    } finally {
      change.unlock();
    }
  }

  /** Resets all flows, removes all rules, forgets the configuration; false if there is none. */
  boolean clear() {
    change.lock();
    try {
      if (accepted.isEmpty()) {
        return false;
      }
      accepted = Optional.empty();
      uplinks.clear();
      host.close();
      awaitTurn();
      awaitLastResets();
      host.forget();
      awaitTurn();
      return true;
    } finally {
      change.unlock();
    }
  }

  private static void awaitLastResets() {
    try {
      TimeUnit.MILLISECONDS.sleep(LAST_RESETS_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static RejectedException notConfigured() {
    return RejectedException.unprocessable(
        null, "no network of a host is configured yet: PUT it first");
  }

  private HostNetwork configured() throws RejectedException {
    return accepted.orElseThrow(ConfigurationWriter::notConfigured);
  }

  private void apply(HostNetwork network) {
    accepted = Optional.of(network);
    choice.use(network.algorithm());
    uplinks.configure(network);
    awaitTurn();
  }

  /** Whether all changes that were accepted are made. */
  boolean isInForce() {
    return underWay.get() == 0;
  }

  /** Waits a short time until the change is made. */
  private void awaitTurn() {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    underWay.incrementAndGet();
    serialExecutor.execute(
        () -> {
          underWay.decrementAndGet();
          done.complete(true);
        });
    try {
      done.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // isInForce tells
    }
  }
}
