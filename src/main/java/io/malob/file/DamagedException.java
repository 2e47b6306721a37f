package io.malob.file;

import com.fasterxml.jackson.core.JsonLocation;
import io.malob.json.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * A state file is not what this program writes. The message contains the position (line and column,
 * from 1) and the error, and quotes nothing of the file, which may contain keys.
 */
public final class DamagedException extends Exception {
  private static final long serialVersionUID = 1L;

  DamagedException(@Nullable JsonLocation at, String what) {
    super(
        at == null
            ? what
            : "line " + at.getLineNr() + ", column " + at.getColumnNr() + ": " + what);
  }

  /** An error in a value: its name and this. */
  public static DamagedException at(JsonInput<DamagedException> value, String what) {
    String place = value.place();
    return in(value, (place.isEmpty() ? "the file" : place) + " " + what);
  }

  /** The same for a sentence that names the value. */
  public static DamagedException in(JsonInput<DamagedException> value, String sentence) {
    return new DamagedException(value.location().orElse(null), sentence);
  }
}
