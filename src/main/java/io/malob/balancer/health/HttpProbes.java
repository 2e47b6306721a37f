package io.malob.balancer.health;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
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
 * Asks members by HTTP, from the controller's own address, and so over a network that leads there
 * without the switches: a management network. Redirects are not followed, and proxies not used. Two
 * threads of its own do the work, from the first question on; that many questions are under way at
 * most.
 */
public final class HttpProbes {
  /** So that servers which are silent take no more than that of memory and sockets. */
  static final int MAX_UNDER_WAY = 1_024;

  private static final int THREADS = 2;

  private final Semaphore room = new Semaphore(MAX_UNDER_WAY);
  private final Consumer<Probe> answered;
  private @Nullable HttpClient client;

  /**
   * No questions yet.
   *
   * @param answered takes each question once, with its answer, on a thread of its own
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

  /** Whom to ask what, and how long that may take. */
  record Target(
      int memberNumber, IPAddress<?> address, int port, HttpCheck check, Duration timeout) {
    private HttpRequest request() {
      return HttpRequest.newBuilder(URI.create("http://" + address + ":" + port + check.path()))
          .method(check.method().toString(), BodyPublishers.noBody())
          .header("User-Agent", "malob-health-check")
          .timeout(timeout)
          .build();
    }

    private boolean isContent(HttpResponse<Boolean> response) {
      return check.codes().contains(response.statusCode()) && response.body();
    }
  }

  /** Asks; null if too many questions are under way. To be called by one thread. */
  @Nullable Probe ask(Target target) {
    if (!room.tryAcquire()) {
      return null;
    }
    CompletableFuture<HttpResponse<Boolean>> sent =
        client().sendAsync(target.request(), BodySearch.handler(target.check.body()));
    // the client's own time-out ends with the head of an answer, and a body may take for ever
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
    @Nullable HttpClient there = client;
    if (there == null) {
      there = newClient();
      client = there;
    }
    return there;
  }

  /** How many questions are under way. */
  int underWay() {
    return MAX_UNDER_WAY - room.availablePermits();
  }
}
