package io.malob.file;

import com.fasterxml.jackson.core.JsonLocation;
import io.malob.json.JsonErrors;
import io.malob.json.JsonInput;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The errors of an invalid state file: the position, and never a value. */
public final class StateFile implements JsonErrors<DamagedException> {
  private static final StateFile ERRORS = new StateFile();

  private StateFile() {}

  /**
   * The value of a whole file.
   *
   * @throws DamagedException if it is not one JSON value, or an object has a name twice
   */
  public static JsonInput<DamagedException> parse(byte[] text) throws DamagedException {
    return JsonInput.parse(text, ERRORS);
  }

  @Override
  public boolean isBlankAbsent() {
    return false;
  }

  @Override
  public DamagedException empty() {
    return new DamagedException(null, "the file is empty");
  }

  @Override
  public DamagedException malformed(String why, @Nullable JsonLocation at) {
    return new DamagedException(at, "not valid JSON");
  }

  @Override
  public DamagedException repeated(String place, @Nullable JsonLocation at) {
    return new DamagedException(at, "a name occurs twice");
  }

  @Override
  public DamagedException missing(JsonInput<DamagedException> object, String name) {
    return DamagedException.at(object, "has no " + name);
  }

  @Override
  public DamagedException unknown(JsonInput<DamagedException> value, Collection<String> known) {
    return DamagedException.at(value, "is not known");
  }

  @Override
  public DamagedException wrong(JsonInput<DamagedException> value, String expected) {
    return DamagedException.at(value, "must be " + expected);
  }
}
