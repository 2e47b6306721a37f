package io.malob.cluster.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * HTTP requests to the JSON gateways of etcd's servers: which server is in use, and our login.
 * Thread-safe; nothing here waits.
 */
final class Gateway {
  /** Of a machine that is gone; a running one answers in a round trip. */
  static final Duration CONNECT = Duration.ofMillis(500);

  static final int OK = 200;

  /** For a body that does not end after its header came. */
  private static final long EXTRA_MILLIS = 250;

  private final ImmutableList<URI> servers;
  private final Optional<EtcdAccess.Login> login;
  private final Optional<Supplier<SSLContext>> tls;
  private final AtomicInteger current = new AtomicInteger();
  private volatile Optional<String> token = Optional.empty();
  private volatile Client client;

  private record Client(Optional<SSLContext> tls, HttpClient http) {}

  Gateway(EtcdAccess access) {
    servers = access.endpoints();
    login = access.login();
    tls = access.tls();
    client = client(tls.map(Supplier::get));
  }

  private static Client client(Optional<SSLContext> context) {
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
    context.ifPresent(builder::sslContext);
    return new Client(context, builder.build());
  }

  /** Another client when the certificates have changed; streams go on with the one before. */
  private HttpClient http() {
    Optional<SSLContext> now = tls.map(Supplier::get);
    Client current = client;
    if (!current.tls.equals(now)) {
      current = client(now);
      client = current;
    }
    return current.http;
  }

  ImmutableList<URI> servers() {
    return servers;
  }

  /** The server in use. */
  URI server() {
    return servers.get(current.get());
  }

  /** A server has failed: the next one is in use, unless another is already. */
  void leave(URI server) {
    int index = servers.indexOf(server);
    current.compareAndSet(index, (index + 1) % servers.size());
  }

  /** Sends a request, after a login if that is missing. */
  CompletableFuture<HttpResponse<byte[]>> post(
      URI server, String path, byte[] body, Duration patience) {
    return token(server, patience)
        .thenCompose(current -> send(request(server, path, body, current), patience));
  }

  /** The text of a page, outside of the gateway; empty if there is none. */
  CompletableFuture<String> get(URI server, String path, Duration patience) {
    return send(HttpRequest.newBuilder(server.resolve(path)).GET(), patience)
        .thenApply(
            response -> response.statusCode() == OK ? new String(response.body(), UTF_8) : "");
  }

  private CompletableFuture<HttpResponse<byte[]>> send(
      HttpRequest.Builder request, Duration patience) {
    return http()
        .sendAsync(request.timeout(patience).build(), BodyHandlers.ofByteArray())
        .orTimeout(patience.toMillis() + EXTRA_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The lines of an answer that does not end. The future completes when it ends all the same. */
  CompletableFuture<HttpResponse<Void>> stream(
      URI server, String path, byte[] body, Duration patience, Flow.Subscriber<String> lines) {
    return token(server, patience)
        .thenCompose(
            current ->
                http()
                    .sendAsync(
                        request(server, path, body, current).build(),
                        BodyHandlers.fromLineSubscriber(lines)));
  }

  private static HttpRequest.Builder request(
      URI server, String path, byte[] body, Optional<String> token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .header("Content-Type", "application/json")
            // a server without a leader refuses at once, and ends streams
            .header("Grpc-Metadata-hasleader", "true")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    token.ifPresent(known -> request.header("Authorization", known));
    return request;
  }

  /** Our token; if the login fails, the request is not sent and has no effect. */
  private CompletableFuture<Optional<String>> token(URI server, Duration patience) {
    Optional<String> known = token;
    if (login.isEmpty() || known.isPresent()) {
      return CompletableFuture.completedFuture(known);
    }
    byte[] body =
        Json.bytes(
            Json.object().put("name", login.get().user()).put("password", login.get().password()));
    return send(request(server, "/v3/auth/authenticate", body, Optional.empty()), patience)
        .handle(Gateway::loggedIn)
        .whenComplete((made, thrown) -> token = made == null ? Optional.empty() : made);
  }

  private static Optional<String> loggedIn(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable thrown) {
    try {
      if (response == null) {
        throw EtcdException.of(thrown == null ? new IllegalStateException() : thrown);
      }
      JsonInput<EtcdException> answer = EtcdMessages.parse(response.body());
      if (response.statusCode() == OK) {
        return Optional.of(answer.get("token").string());
      }
      throw EtcdException.of(answer);
    } catch (EtcdException e) {
      throw new CompletionException(
          new EtcdException(
              e.isRefused() ? EtcdException.Effect.REFUSED : EtcdException.Effect.NONE,
              "the login failed: " + e.text()));
    }
  }

  /** The token has expired. */
  void logOut() {
    token = Optional.empty();
  }
}
