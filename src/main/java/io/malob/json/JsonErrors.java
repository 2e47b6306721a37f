package io.malob.json;

import com.fasterxml.jackson.core.JsonLocation;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What is said of a document that is wrong, and by which exception. Has no state.
 *
 * @param <E> the exception
 */
public interface JsonErrors<E extends Exception> {
  /**
   * Whether a field that is null, or a string of blanks, counts as one that is not there; and
   * blanks around strings do not count.
   */
  boolean isBlankAbsent();

  /** The text has nothing in it. */
  E empty();

  /** The text is not one JSON value. */
  E malformed(String why, @Nullable JsonLocation at);

  /** An object has two values under one name. */
  E repeated(String place, @Nullable JsonLocation at);

  /** An object has no value under a name that must be there. */
  E missing(JsonInput<E> object, String name);

  /** An object has a value under a name that is not known. */
  E unknown(JsonInput<E> value, Collection<String> known);

  /** A value is not what it must be: an expectation with its article, as in {@code a string}. */
  E wrong(JsonInput<E> value, String expected);
}
