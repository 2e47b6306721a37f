package io.malob.file;

import com.fasterxml.jackson.core.JsonLocation;
import org.jspecify.annotations.Nullable;

/**
 * A state file is not what this program writes. The message says where (line and column, from 1)
 * and what is wrong, and quotes nothing of the file, which may hold keys.
 */
public final class DamagedException extends Exception {
  private static final long serialVersionUID = 1L;

  DamagedException(@Nullable JsonLocation at, String what) {
    super(
        at == null
            ? what
            : "line " + at.getLineNr() + ", column " + at.getColumnNr() + ": " + what);
  }
}
