package io.malob.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Files with secrets. */
final class PrivateFiles {
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private PrivateFiles() {}

  /**
   * Checks that other users have no access.
   *
   * @throws IOException if they have, or the file does not exist
   */
  static void check(Path file) throws IOException {
    try {
      if (Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains)) {
        throw new IOException(file + " is accessible to other users; run chmod 600 on it");
      }
    } catch (NoSuchFileException e) {
      throw new IOException(file + " does not exist", e);
    } catch (UnsupportedOperationException e) {
      // a file system without such permissions
    }
  }
}
