package io.malob.openflow;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the answers of switches to requests. */
public final class Answers {
  private Answers() {}

  /**
   * Takes the answer to a request.
   *
   * @param executor runs one of the following
   * @param answered takes the answer
   * @param failed takes the reason why there will be none, which may be a disconnection
   */
  public static <T> void take(
      ListenableFuture<T> request,
      Executor executor,
      Consumer<? super T> answered,
      Consumer<Throwable> failed) {
    Futures.addCallback(
        request,
        new FutureCallback<T>() {
          @Override
          public void onSuccess(@Nullable T answer) {
            if (answer != null) {
              answered.accept(answer);
            }
          }

          @Override
          public void onFailure(Throwable cause) {
            failed.accept(cause);
          }
        },
        executor);
  }
}
