package io.malob.balancer.health;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.malob.algorithm.AddressText;
import io.malob.state.catalog.HttpCheck;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Probes members by HTTP from the controller's own address, so they must be reachable over a
 * management network. Follows no redirects and uses no proxy. Two threads of its own do the work;
 * they start with the first probe. At most {@link #MAX_PENDING} probes are pending.
 */
public final class HttpProbes {
  /** Bounds the memory and the sockets that silent servers occupy. */
  static final int MAX_PENDING = 1_024;

  private static final int THREADS = 2;

  private final Semaphore room = new Semaphore(MAX_PENDING);
  private final Consumer<Probe> answered;

  /** Null until the first probe: most controllers never need the classes, not even by reference. */
  private @Nullable HttpClient client;

  /**
   * Starts without probes.
   *
   * @param answered receives each probe once, at its answer, on one of this class's threads
   */
  public HttpProbes(Consumer<Probe> answered) {
    this.answered = answered;
  }

  private static HttpClient newClient() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .proxy(HttpClient.Builder.NO_PROXY)
        .executor(
            Executors.newFixedThreadPool(
                THREADS,
                new ThreadFactoryBuilder().setNameFormat("http-check-%d").setDaemon(true).build()))
        .build();
  }

  /** The server to probe, its check and the timeout. */
  record Target(
      int memberNumber, IPAddress<?> address, int port, HttpCheck check, Duration timeout) {
    private HttpRequest request() {
      return HttpRequest.newBuilder(
              URI.create("http://" + AddressText.withPort(address, port) + check.path()))
          .method(check.method().toString(), BodyPublishers.noBody())
          .header("User-Agent", "malob-health-check")
          .timeout(timeout)
          .build();
    }

    private boolean isContent(HttpResponse<Boolean> response) {
      return check.codes().contains(response.statusCode()) && response.body();
    }
  }

  /** Sends a probe. Returns null if too many are pending. To be called by one thread. */
  @Nullable Probe start(Target target) {
    if (!room.tryAcquire()) {
      return null;
    }
    CompletableFuture<HttpResponse<Boolean>> sent =
        client().sendAsync(target.request(), BodySearch.handler(target.check.body()));
    // the client's own timeout covers the headers only; a body could take forever
    Probe probe = new Probe(target.memberNumber, answered, () -> sent.cancel(true));
    var unused =
        sent.whenComplete(
            (response, failure) -> {
              room.release();
              probe.answer(failure == null && target.isContent(response));
            });
    return probe;
  }

  private HttpClient client() {
    @Nullable HttpClient known = client;
    if (known == null) {
      known = newClient();
      client = known;
    }
    return known;
  }

  /** The number of pending probes. */
  int pending() {
    return MAX_PENDING - room.availablePermits();
  }
}
