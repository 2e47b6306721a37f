package io.malob.state.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotatingFileTest {
  @TempDir Path directory;

  private Path file() {
    return directory.resolve("deep/lines");
  }

  private List<String> lines(String name) throws IOException {
    return Files.readAllLines(directory.resolve("deep").resolve(name));
  }

  @Test
  void fullFile_isPutAsideAndTheOldestGoes() throws Exception {
    try (RotatingFile file = new RotatingFile(file(), 10, 3)) {
      for (int i = 1; i <= 9; i++) {
        file.add("line" + i); // two of them do not fit
      }
    }
    assertEquals(List.of("line9"), lines("lines"));
    assertEquals(List.of("line8"), lines("lines.1"));
    assertEquals(List.of("line7"), lines("lines.2"));
    assertFalse(Files.exists(directory.resolve("deep/lines.3")));
  }

  @Test
  void lines_thatFitExactly_stayInOneFile() throws Exception {
    try (RotatingFile file = new RotatingFile(file(), 12, 3)) {
      file.add("line1");
      file.add("line2");
      file.add("line3");
    }
    assertEquals(List.of("line1", "line2"), lines("lines.1"));
    assertEquals(List.of("line3"), lines("lines"));
  }

  @Test
  void singleFile_beginsAnewWhenItIsFull() throws Exception {
    try (RotatingFile file = new RotatingFile(file(), 10, 1)) {
      file.add("line1");
      file.add("line2");
    }
    assertEquals(List.of("line2"), lines("lines"));
    assertFalse(Files.exists(directory.resolve("deep/lines.1")));
  }

  @Test
  void fileOfBefore_isGoneOnWithAndCounts() throws Exception {
    try (RotatingFile file = new RotatingFile(file(), 12, 2)) {
      file.add("line1");
    }
    try (RotatingFile file = new RotatingFile(file(), 12, 2)) {
      file.open();
      file.add("line2");
      file.add("line3");
    }
    assertEquals(List.of("line1", "line2"), lines("lines.1"));
    assertEquals(List.of("line3"), lines("lines"));
  }

  @Test
  void line_longerThanTheFileMayBe_hasAFileOfItsOwn() throws Exception {
    try (RotatingFile file = new RotatingFile(file(), 4, 2)) {
      file.add("a long line");
      file.add("b");
    }
    assertEquals(List.of("a long line"), lines("lines.1"));
  }

  @Test
  void directoryInItsPlace_isAnErrorAtOnce() throws Exception {
    Files.createDirectories(file());
    try (RotatingFile file = new RotatingFile(file(), 10, 2)) {
      assertThrows(IOException.class, file::open);
    }
  }
}
