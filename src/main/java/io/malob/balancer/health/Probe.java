package io.malob.balancer.health;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that a member is asked, to see whether it is up. Asked and withdrawn by one thread,
 * answered by any, once.
 */
public final class Probe {
  private final int memberNumber;
  private final Consumer<Probe> answered;
  private final Runnable withdrawal;
  private final AtomicReference<@Nullable Boolean> result = new AtomicReference<>();

  /**
   * A question that is not answered yet.
   *
   * @param memberNumber the member's number in the catalog
   * @param answered takes the question with its first answer, on the thread that read it
   * @param withdrawal forgets it
   */
  public Probe(int memberNumber, Consumer<Probe> answered, Runnable withdrawal) {
    this.memberNumber = memberNumber;
    this.answered = answered;
    this.withdrawal = withdrawal;
  }

  int memberNumber() {
    return memberNumber;
  }

  /** The first answer counts. */
  void answer(boolean passed) {
    if (result.compareAndSet(null, passed)) {
      answered.accept(this);
    }
  }

  /** Whether the answer was the right one; false as long as there is none. */
  boolean hasPassed() {
    return Boolean.TRUE.equals(result.get());
  }

  /** Nobody waits for the answer any more. To be called once. */
  void withdraw() {
    withdrawal.run();
  }
}
