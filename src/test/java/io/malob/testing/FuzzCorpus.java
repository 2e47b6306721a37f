package io.malob.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The inputs that fuzz tests begin with, and those that once found something: lines of a name and
 * bytes in hexadecimal, in {@code src/test/resources/fuzz}.
 */
public final class FuzzCorpus {
  private FuzzCorpus() {}

  /** What takes an input, and throws if it finds something. */
  public interface Target {
    /** Takes one. */
    void take(byte[] input) throws Exception;
  }

  /** Gives a target the inputs of a file, as they are and cut, and so many spoiled ones. */
  public static void run(String file, int spoiled, Target target) throws Exception {
    List<byte[]> inputs = List.copyOf(read(file).values());
    for (byte[] input : inputs) {
      for (int length = 0; length <= input.length; length += 1 + length / 8) {
        target.take(Arrays.copyOf(input, length));
      }
      target.take(input);
    }
    Mutator mutator = new Mutator(new Random(7_411), inputs);
    for (int i = 0; i < spoiled; i++) {
      target.take(mutator.next());
    }
  }

  /** The inputs of a file, by name, in its order. */
  public static Map<String, byte[]> read(String file) {
    Map<String, byte[]> inputs = new LinkedHashMap<>();
    try (var stream = FuzzCorpus.class.getResourceAsStream("/fuzz/" + file)) {
      String text = new String(stream.readAllBytes(), StandardCharsets.US_ASCII);
      for (String line : text.split("\n", -1)) {
        if (!line.startsWith("#") && !line.isBlank()) {
          String[] parts = line.split(" ", 2);
          inputs.put(parts[0], HexFormat.of().parseHex(parts.length == 1 ? "" : parts[1]));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(file, e);
    }
    return inputs;
  }
}
