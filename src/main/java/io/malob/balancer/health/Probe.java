package io.malob.balancer.health;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One probe of a member's health. One thread sends and withdraws it; any thread may answer it,
 * once.
 */
public final class Probe {
  private final int memberNumber;
  private final Consumer<Probe> answered;
  private final Runnable withdrawal;
  private final AtomicReference<@Nullable Boolean> result = new AtomicReference<>();

  /**
   * Creates a probe without an answer.
   *
   * @param memberNumber the member's number in the catalog
   * @param answered receives the probe at its first answer, on the thread that read the answer
   * @param withdrawal cancels the probe
   */
  public Probe(int memberNumber, Consumer<Probe> answered, Runnable withdrawal) {
    this.memberNumber = memberNumber;
    this.answered = answered;
    this.withdrawal = withdrawal;
  }

  int memberNumber() {
    return memberNumber;
  }

  /** Sets the result. Only the first call counts. */
  void answer(boolean passed) {
    if (result.compareAndSet(null, passed)) {
      answered.accept(this);
    }
  }

  /** Whether the member passed; false while there is no answer. */
  boolean hasPassed() {
    return Boolean.TRUE.equals(result.get());
  }

  /** Cancels the wait for the answer. To be called once. */
  void withdraw() {
    withdrawal.run();
  }
}
