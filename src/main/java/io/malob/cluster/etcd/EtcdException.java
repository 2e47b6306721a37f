package io.malob.cluster.etcd;

import io.malob.json.JsonInput;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Why etcd, or one of its servers, has not done what a request asks for: it is unreachable, has no
 * quorum, or has refused it. The message is for users.
 */
public final class EtcdException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What is known of the request's effect, and what helps. */
  enum Effect {
    /** It has no effect; another server, or the same one later, may accept it. */
    NONE,
    /** It may have had an effect, or still have it. */
    UNKNOWN,
    /** It has no effect: the token of our login has expired. */
    LOGGED_OUT,
    /** It has no effect: the database is full, until an operator makes room. */
    FULL,
    /** It has no effect, and would have none if repeated. */
    REFUSED
  }

  /** Before a server proposes a change to the others. */
  private static final Set<String> NOT_PROPOSED =
      Set.of("no leader", "not capable", "too many requests", "not supported for learner");

  private static final Set<String> LOGGED_OUT =
      Set.of("invalid auth token", "revision of auth store is old");

  /**
   * gRPC's codes for cancelled, unknown, deadline exceeded, aborted, internal, unavailable and data
   * loss.
   */
  private static final Set<Long> UNKNOWN_CODES = Set.of(1L, 2L, 4L, 10L, 13L, 14L, 15L);

  private final Effect effect;
  private final boolean isSilence;

  /** A request that may have had an effect. */
  public EtcdException(String message, @Nullable Throwable cause) {
    super(message, cause);
    effect = Effect.UNKNOWN;
    isSilence = false;
  }

  EtcdException(Effect effect, String message) {
    this(effect, message, false);
  }

  private EtcdException(Effect effect, String message, boolean isSilence) {
    super(message);
    this.effect = effect;
    this.isSilence = isSilence;
  }

  Effect effect() {
    return effect;
  }

  /** Whether there was no answer in time. */
  boolean isSilence() {
    return isSilence;
  }

  /** Whether etcd has refused the request, so that it is no use to repeat it. */
  public boolean isRefused() {
    return effect == Effect.REFUSED;
  }

  /** Whether the request had no effect because etcd's database is full. */
  public boolean isFull() {
    return effect == Effect.FULL;
  }

  /** The reason, for users. */
  String text() {
    return String.valueOf(getMessage());
  }

  /** A request without an answer. */
  static EtcdException of(Throwable thrown) {
    Throwable why = thrown;
    while (why instanceof CompletionException && why.getCause() != null) {
      why = why.getCause();
    }
    if (why instanceof EtcdException known) {
      return known;
    } else if (why instanceof ConnectException || why instanceof HttpConnectTimeoutException) {
      return new EtcdException(
          Effect.NONE, "cannot be reached", why instanceof HttpConnectTimeoutException);
    } else if (why instanceof SSLHandshakeException) {
      return new EtcdException(Effect.NONE, "TLS failed: " + why.getMessage());
    } else if (why instanceof HttpTimeoutException || why instanceof TimeoutException) {
      return new EtcdException(Effect.UNKNOWN, "no answer in time", true);
    }
    return new EtcdException(
        Effect.UNKNOWN,
        why instanceof IOException ? "the connection broke" : String.valueOf(why.getMessage()));
  }

  /** An answer with an error: {@code {"error": "…", "code": 14}}, or an object within "error". */
  static EtcdException of(JsonInput<EtcdException> answer) throws EtcdException {
    JsonInput<EtcdException> error = answer.get("error");
    if (error.isObject()) {
      return of(error.get("message").text(), EtcdMessages.number(error.get("grpc_code")));
    }
    JsonInput<EtcdException> message = answer.get("message");
    return of(
        (message.isThere() ? message : error).text(), EtcdMessages.number(answer.get("code")));
  }

  static EtcdException of(String message, long code) {
    String text = message.replaceFirst("^(etcdserver|auth): ", "");
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.contains("database space exceeded")) {
      return new EtcdException(Effect.FULL, text);
    }
    if (NOT_PROPOSED.stream().anyMatch(lower::contains)) {
      return new EtcdException(Effect.NONE, text);
    } else if (LOGGED_OUT.stream().anyMatch(lower::contains)) {
      return new EtcdException(Effect.LOGGED_OUT, text);
    } else if (UNKNOWN_CODES.contains(code)) {
      return new EtcdException(Effect.UNKNOWN, text);
    }
    return new EtcdException(Effect.REFUSED, text);
  }
}
