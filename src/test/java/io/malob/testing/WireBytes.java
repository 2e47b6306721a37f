package io.malob.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The bytes of messages between controllers, as the last release sends them. During an update,
 * controllers of both releases understand each other, so these bytes change only with the number of
 * a version.
 */
public final class WireBytes {
  private static final String FILE = "/wire/messages.txt";

  private WireBytes() {}

  /** Checks that a message has the bytes that the file has under its name. */
  public static void check(String name, byte[] message) {
    assertEquals(name + " " + of(name), name + " " + HexFormat.of().formatHex(message));
  }

  /** The bytes under a name. */
  public static byte[] read(String name) {
    return HexFormat.of().parseHex(of(name));
  }

  private static String of(String name) {
    try (var stream = WireBytes.class.getResourceAsStream(FILE)) {
      return new String(stream.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .map(line -> line.substring(name.length() + 1))
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
