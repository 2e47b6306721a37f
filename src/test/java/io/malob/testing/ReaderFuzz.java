package io.malob.testing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Spoils files, and gives them to whoever reads them: he may take or refuse them, nothing else. */
public final class ReaderFuzz {
  private static final int FILES = 5_000;

  /** Whoever reads a file. */
  public interface Reader {
    /** Reads one, or says by an exception what is wrong with it. */
    void read(byte[] file) throws Exception;
  }

  private final List<byte[]> whole;

  /** Begins with these files, in which ' stands for ". */
  public ReaderFuzz(String... whole) {
    this.whole =
        Arrays.stream(whole)
            .map(text -> text.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
            .toList();
  }

  /** Lets all of them be read as they are, then thousands of spoiled ones. */
  public void check(Reader reader, Predicate<Exception> isRefusal) throws Exception {
    for (byte[] file : whole) {
      reader.read(file);
    }
    Mutator mutator = new Mutator(new Random(8_259), whole);
    int refused = 0;
    for (int i = 0; i < FILES; i++) {
      refused += isRefused(mutator.next(), reader, isRefusal) ? 1 : 0;
    }
    isRefused("[".repeat(50_000).getBytes(StandardCharsets.UTF_8), reader, isRefusal);
    if (refused == 0) {
      throw new AssertionError("nothing was refused: not much of a test");
    }
  }

  private static boolean isRefused(byte[] file, Reader reader, Predicate<Exception> isRefusal) {
    try {
      reader.read(file);
      return false;
    } catch (Exception e) {
      if (!isRefusal.test(e)) {
        throw new AssertionError(new String(file, StandardCharsets.ISO_8859_1), e);
      }
      return true;
    }
  }
}
