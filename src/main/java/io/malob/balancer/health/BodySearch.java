package io.malob.balancer.health;

import io.malob.state.catalog.HttpCheck;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Searches the beginning of a response body for a string and stops reading at {@link
 * HttpCheck#MAX_BODY_BYTES}. The HTTP client calls it from one thread at a time.
 */
final class BodySearch implements BodySubscriber<Boolean> {
  private final String wanted;
  private final CompletableFuture<Boolean> result = new CompletableFuture<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  private BodySearch(String wanted) {
    this.wanted = wanted;
  }

  /** Tells whether the body contains the string in UTF-8. Every body does if the string is null. */
  static BodyHandler<Boolean> handler(@Nullable String wanted) {
    return any -> new BodySearch(wanted == null ? "" : wanted);
  }

  @Override
  public CompletionStage<Boolean> getBody() {
    return result;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      byte[] bytes = new byte[Math.min(part.remaining(), room())];
      part.get(bytes);
      body.write(bytes, 0, bytes.length);
    }
    if (room() == 0) {
      Flow.@Nullable Subscription reading = subscription;
      if (reading != null) {
        reading.cancel();
      }
      onComplete();
    }
  }

  private int room() {
    return HttpCheck.MAX_BODY_BYTES - body.size();
  }

  @Override
  public void onError(Throwable failure) {
    result.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    result.complete(body.toString(StandardCharsets.UTF_8).contains(wanted));
  }
}
