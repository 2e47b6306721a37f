package io.malob.controller.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Files that must not be accessible to other users than their owner. */
final class PrivateFile {
  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private PrivateFile() {}

  /**
   * Checks its permissions.
   *
   * @throws IOException if other users have access, or the file does not exist
   */
  static void check(Path file) throws IOException {
    try {
      if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
        throw new IOException(file + " is accessible to other users; run chmod 600 on it");
      }
    } catch (UnsupportedOperationException e) {
      // a file system without such permissions
    }
  }
}
