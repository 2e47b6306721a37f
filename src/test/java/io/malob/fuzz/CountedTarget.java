package io.malob.fuzz;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What Jazzer calls: hands each input on to the target that the tests have, counts, and says at the
 * end what became of heap and threads. The properties {@code malob.fuzz.target} and {@code
 * malob.fuzz.counts} name the target's class and the file.
 */
public final class CountedTarget {
  /** Loading and warming up is over by then. */
  private static final long WARM_UP_RUNS = 100_000;

  private static final MethodHandle TARGET = target();

  /** Jazzer calls static methods, on one thread. */
  private static final CountedTarget COUNTED = new CountedTarget();

  private long runs;
  private State before = State.NONE;

  private record State(double heapMegabytes, int threads) {
    static final State NONE = new State(0, 0);

    static State now() {
      System.gc();
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      return new State(used / 1e6, ManagementFactory.getThreadMXBean().getThreadCount());
    }
  }

  private CountedTarget() {}

  private static MethodHandle target() {
    try {
      return MethodHandles.publicLookup()
          .findStatic(
              Class.forName(property("malob.fuzz.target")),
              "fuzzerTestOneInput",
              MethodType.methodType(void.class, byte[].class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no target", e);
    }
  }

  /** Takes one input. */
  public static void fuzzerTestOneInput(byte[] input) throws Throwable {
    COUNTED.countOne();
    TARGET.invokeExact(input);
  }

  private void countOne() {
    runs++;
    if (runs == WARM_UP_RUNS) {
      before = State.now();
    }
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }

  /** Called by Jazzer when it is done. */
  public static void fuzzerTearDown() throws IOException {
    COUNTED.tell(Path.of(property("malob.fuzz.counts")));
  }

  private void tell(Path file) throws IOException {
    State after = State.now();
    Files.writeString(
        file,
        runs
            + " "
            + before.heapMegabytes
            + " "
            + after.heapMegabytes
            + " "
            + before.threads
            + " "
            + after.threads);
  }
}
