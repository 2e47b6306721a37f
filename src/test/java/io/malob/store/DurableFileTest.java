package io.malob.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One state file, and the copy of its last good version. */
class DurableFileTest {
  private final List<String> forced = new ArrayList<>();

  @TempDir Path directory;

  private DurableFile file() {
    return new DurableFile(
        directory.resolve("f"),
        (path, channel) ->
            forced.add(directory.relativize(path) + (Files.exists(path("f")) ? "+" : "-")));
  }

  private Path path(String name) {
    return directory.resolve(name);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A format that knows objects only. */
  private static String read(byte[] bytes) throws DamagedException {
    return StateFile.parse(bytes).get("x").string();
  }

  private Optional<String> load() throws IOException {
    return file().load(DurableFileTest::read);
  }

  private String refused() {
    return assertThrows(IOException.class, this::load).getMessage();
  }

  @Test
  void firstStart_isEmpty() throws Exception {
    assertEquals(Optional.empty(), load());
    assertFalse(Files.exists(path("f.last-good")));
  }

  @Test
  void replace_forcesTheFileBeforeTheRename_andTheDirectoryAfterIt() throws Exception {
    file().replace(bytes("{\"x\":\"1\"}"));
    assertEquals(List.of("f.new-", "+"), forced);
    assertEquals(Optional.of("1"), load());
  }

  @Test
  void delete_forcesTheDirectory_andIsNoLoss() throws Exception {
    file().replace(bytes("{\"x\":\"1\"}"));
    forced.clear();
    file().delete();
    assertEquals(List.of("-"), forced);
    assertEquals(Optional.empty(), load());
    file().delete();
    assertEquals(List.of("-"), forced, "there was nothing to delete");
  }

  @Test
  void damagedFile_isNamedWithThePlaceAndTheCopy_whichIsTheLatestVersion() throws Exception {
    file().replace(bytes("{\"x\":\"1\"}"));
    file().replace(bytes("{\"x\":\"2\"}"));
    Files.write(path("f"), bytes("{\n  \"x\": 3\n}"));

    String message = refused();

    assertTrue(
        message.startsWith(path("f") + " is damaged: line 2, column 3: x must be a string; "),
        message);
    assertTrue(message.contains("the last good version is " + path("f.last-good") + " (of "));
    assertTrue(
        message.endsWith("\"cp -p " + path("f.last-good") + " " + path("f") + "\" restores it"));
    assertEquals("{\"x\":\"2\"}", Files.readString(path("f.last-good")));
  }

  @Test
  void copyThatIsDamagedAsWell_isNotRecommended() throws Exception {
    Files.write(path("f"), bytes("{"));
    Files.write(path("f.last-good"), bytes("["));
    assertTrue(refused().contains("there is no good copy of it"));
    assertEquals("[", Files.readString(path("f.last-good")));
  }

  @Test
  void lostFile_isNoFirstStart() throws Exception {
    file().replace(bytes("{\"x\":\"1\"}"));
    Files.delete(path("f"));
    assertTrue(refused().startsWith(path("f") + " is missing, but existed before: \"cp -p "));
  }

  /** As after a crash between the two, or an edit by hand while no controller ran. */
  @Test
  void copy_isMadeWhenTheFileIsRead() throws Exception {
    Files.write(path("f"), bytes("{\"x\":\"1\"}"));
    Files.write(path("f.last-good"), bytes("{\"x\":\"0\"}"));
    load();
    assertEquals("{\"x\":\"1\"}", Files.readString(path("f.last-good")));
  }

  @Test
  void copy_isTheOwnersAlone() throws Exception {
    file().replace(bytes("{\"x\":\"1\"}"));
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(path("f.last-good"))));
  }

  @Test
  void copyThatCannotBeWritten_doesNotFailTheChange() throws Exception {
    Files.createDirectories(path("f.last-good.new").resolve("in the way"));
    file().replace(bytes("{\"x\":\"1\"}"));
    assertEquals(Optional.of("1"), load());
    assertFalse(Files.exists(path("f.last-good")));
  }

  @Test
  void failedWrite_leavesFileAndCopy() throws Exception {
    file().replace(bytes("{\"x\":\"1\"}"));
    DurableFile full =
        new DurableFile(
            path("f"),
            (path, channel) -> {
              throw new IOException("No space left on device");
            });
    assertThrows(IOException.class, () -> full.replace(bytes("{\"x\":\"2\"}")));
    assertEquals(Optional.of("1"), load());
    assertEquals("{\"x\":\"1\"}", Files.readString(path("f.last-good")));
  }

  @Test
  void errorOfAnotherKind_isPassedOn() throws Exception {
    Files.write(path("f"), bytes("{}"));
    IOException later = new IOException("of a later version");
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                file()
                    .load(
                        bytes -> {
                          throw later;
                        }));
    assertEquals(later, e);
  }
}
