package io.malob.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The inputs that fuzz tests begin with, and those that once found something: lines of a name and
 * bytes in hexadecimal, in {@code src/test/resources/fuzz}.
 */
public final class FuzzCorpus {
  private FuzzCorpus() {}

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
