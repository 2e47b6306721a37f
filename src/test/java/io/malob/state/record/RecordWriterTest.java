package io.malob.state.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordWriterTest {
  private static final int LARGE = 1_000_000;

  @TempDir Path directory;

  @Test
  void records_areWrittenInOrder_beforeItIsClosed() throws Exception {
    Path file = directory.resolve("records");
    RecordWriter<Integer> writer = RecordWriter.start(file, LARGE, 2, number -> "record " + number);
    IntStream.range(0, 1_000).forEach(writer::add);
    writer.close();

    assertEquals(
        IntStream.range(0, 1_000).mapToObj(number -> "record " + number).toList(),
        Files.readAllLines(file));
    assertEquals(1_000, writer.written());
    assertEquals(0, writer.dropped());
  }

  @Test
  void records_thatCannotBeWrittenFastEnough_areDroppedAndCounted() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch stuck = new CountDownLatch(1);
    RecordWriter<Integer> writer =
        RecordWriter.start(
            directory.resolve("records"),
            LARGE * 10L,
            2,
            number -> {
              stuck.countDown();
              awaitQuietly(goOn);
              return "x";
            });
    writer.add(0);
    stuck.await();
    for (int i = 0; i < RecordWriter.MAX_WAITING + 7; i++) {
      writer.add(i);
    }
    assertEquals(7, writer.dropped());
    goOn.countDown();
    writer.close();

    assertEquals(RecordWriter.MAX_WAITING + 1, writer.written());
    assertEquals(7, writer.dropped());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is written after the wait must neither meet a closed file nor open it again for good. */
  @Test
  void file_isClosedByTheThreadThatWrites_alsoIfThatTakesLongerThanTheWait() throws Exception {
    Path file = directory.resolve("records");
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch stuck = new CountDownLatch(1);
    RecordWriter<Integer> writer =
        RecordWriter.start(
            file,
            LARGE,
            2,
            number -> {
              stuck.countDown();
              awaitQuietly(goOn);
              return "record " + number;
            });
    writer.add(1);
    writer.add(2);
    stuck.await();
    writer.close(1);
    assertTrue(isOpen(file));
    goOn.countDown();
    writer.close();

    assertFalse(isOpen(file));
    assertEquals(List.of("record 1", "record 2"), Files.readAllLines(file));
  }

  private static boolean isOpen(Path file) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.anyMatch(
          each -> {
            try {
              return Files.readSymbolicLink(each).equals(file);
            } catch (IOException e) {
              return false; // closed meanwhile
            }
          });
    }
  }

  @Test
  void records_afterItIsClosed_areDropped() throws Exception {
    RecordWriter<Integer> writer =
        RecordWriter.start(directory.resolve("records"), LARGE, 2, number -> "x");
    writer.close();
    writer.add(1);
    assertEquals(1, writer.dropped());
  }

  @Test
  void file_thatCannotBeRotated_costsRecordsAndNothingElse() throws Exception {
    Path file = directory.resolve("records");
    Files.createDirectories(directory.resolve("records.1/full")); // nothing can take its place
    RecordWriter<Integer> writer = RecordWriter.start(file, 4, 2, number -> "record");
    writer.add(1);
    writer.add(2);
    writer.close();

    assertEquals(List.of("record"), Files.readAllLines(file));
    assertTrue(writer.dropped() >= 1, "" + writer.dropped());
  }

  @Test
  void file_thatCannotBeOpened_isAnErrorAtOnce() {
    assertThrows(
        IOException.class, () -> RecordWriter.start(directory, LARGE, 2, number -> "record"));
  }
}
