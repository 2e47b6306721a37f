package io.malob.controller.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.hash.Hashing;
import io.malob.store.FileStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file of tokens, and what becomes of requests when it is damaged or lost. */
class StoredTokensTest {
  private @Nullable FileStore store;

  @TempDir Path directory;

  private Path path() {
    return directory.resolve("tokens.json");
  }

  private void write(String text) throws IOException {
    Files.writeString(path(), text);
    Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-------"));
    if (store != null) {
      store.poll();
    }
  }

  private static String tokens(String token) {
    return String.format(
        "{\"tokens\": [\n{\"name\": \"ops\", \"role\": \"admin\", \"sha256\": \"%s\"}]}",
        Hashing.sha256().hashString(token, StandardCharsets.UTF_8));
  }

  private Instant now = Instant.parse("2027-01-30T23:59:59Z");

  @Test
  void tokenThatExpires_isUnknownFromThenOn() throws Exception {
    write(tokens("secret").replace("}]", ", \"expires\": \"2027-01-31T00:00:00Z\"}]"));
    StoredTokens file = open();
    assertTrue(file.principalOf("secret").isPresent());
    now = now.plusSeconds(1);
    assertFalse(file.principalOf("secret").isPresent());
    assertTrue(file.isWanted());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"tomorrow\"", "\"2027-01-31\"", "\"\""})
  void wrongTimeOfATokensEnd_isDamage(String expires) throws Exception {
    write(tokens("secret").replace("}]", ", \"expires\": " + expires + "}]"));
    String message = assertThrows(IOException.class, this::open).getMessage();
    assertTrue(message.contains("tokens[0].expires must be a"), message);
  }

  /** As after a restart. */
  private StoredTokens open() throws IOException {
    store = FileStore.inDirectory(directory, Runnable::run);
    return new StoredTokens(store, false, () -> now);
  }

  @Test
  void damagedFile_endsTheStart_namingThePlaceAndTheCopy() throws Exception {
    write(tokens("secret"));
    assertTrue(open().principalOf("secret").isPresent());
    write(tokens("secret").replace("admin", "root"));

    String message = assertThrows(IOException.class, this::open).getMessage();

    assertTrue(
        message.contains("line 2, column 17: tokens[0].role must be admin or read-only"), message);
    assertTrue(message.contains("tokens.json.last-good"), message);
    Files.move(directory.resolve("tokens.json.last-good"), directory.resolve("restored"));
    write(Files.readString(directory.resolve("restored")));
    assertTrue(open().principalOf("secret").isPresent());
  }

  /** Without a file every request on loopback may do everything. */
  @Test
  void lostFile_endsTheStart() throws Exception {
    assertFalse(open().isWanted());
    write(tokens("secret"));
    open();
    Files.delete(path());
    String message = assertThrows(IOException.class, this::open).getMessage();
    assertTrue(message.contains("tokens.json is missing, but existed before"), message);
  }

  @Test
  void fileThatIsDamagedMeanwhile_changesNothing() throws Exception {
    write(tokens("secret"));
    StoredTokens file = open();
    write("{");
    assertTrue(file.principalOf("secret").isPresent());
    assertTrue(file.isWanted());
    write(tokens("other"));
    assertFalse(file.principalOf("secret").isPresent());
    assertEquals(tokens("other"), Files.readString(directory.resolve("tokens.json.last-good")));
  }
}
