package io.malob.testing;

import io.malob.module.PeerListener;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Function;

/**
 * Gives a listener damaged messages of another controller. It rejects a message at once, as {@link
 * PeerListener#received} says, or takes it: the tasks that it leaves for later do not fail.
 */
public final class PeerFuzz {
  private static final int MESSAGES = 5_000;

  private PeerFuzz() {}

  /**
   * Gives it valid messages, each part of them, and thousands of damaged ones.
   *
   * @param listener makes the listener, which leaves tasks to the given queue
   */
  public static void check(Function<Queue<Runnable>, PeerListener> listener, byte[]... valid) {
    Queue<Runnable> tasks = new ArrayDeque<>();
    PeerListener receiver = listener.apply(tasks);
    for (byte[] message : valid) {
      if (!isTaken(message, receiver, tasks)) {
        throw new AssertionError("rejected: " + HexFormat.of().formatHex(message));
      }
      for (int length = 0; length < message.length; length += 1 + length / 16) {
        isTaken(Arrays.copyOf(message, length), receiver, tasks);
      }
    }
    Mutator mutator = new Mutator(new Random(6_642), List.of(valid));
    int taken = 0;
    for (int i = 0; i < MESSAGES; i++) {
      taken += isTaken(mutator.next(), receiver, tasks) ? 1 : 0;
    }
    if (taken == 0 || taken == MESSAGES) {
      throw new AssertionError(taken + " taken: not much of a test");
    }
  }

  private static boolean isTaken(byte[] message, PeerListener receiver, Queue<Runnable> tasks) {
    try {
      try {
        receiver.received("b", ByteBuffer.wrap(message.clone()));
      } catch (IllegalArgumentException | BufferUnderflowException e) {
        if (!tasks.isEmpty()) {
          throw new AssertionError("rejected, but not as a whole", e);
        }
        return false;
      }
      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
      return true;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(HexFormat.of().formatHex(message), e);
    }
  }
}
