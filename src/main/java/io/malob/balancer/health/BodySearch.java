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
 * Looks for a text in the beginning of a body, and reads no more of it than it has to. One call at
 * a time, as the HTTP client does it.
 */
final class BodySearch implements BodySubscriber<Boolean> {
  private final String wanted;
  private final CompletableFuture<Boolean> result = new CompletableFuture<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  private BodySearch(String wanted) {
    this.wanted = wanted;
  }

  /** Whether the text is there, in UTF-8; any body will do if it is null. */
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
