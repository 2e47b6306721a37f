package io.malob.json;

import com.fasterxml.jackson.core.JsonLocation;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The errors of an invalid document, and their exception. Has no state.
 *
 * @param <E> the exception
 */
public interface JsonErrors<E extends Exception> {
  /** Whether a field with null, or a blank string, counts as missing, and strings are trimmed. */
  boolean isBlankAbsent();

  /** The text is empty. */
  E empty();

  /** The text is not one JSON value. */
  E malformed(String why, @Nullable JsonLocation at);

  /** An object has two values under one name. */
  E repeated(String place, @Nullable JsonLocation at);

  /** An object has no value under a required name. */
  E missing(JsonInput<E> object, String name);

  /** An object has a value under an unknown name. */
  E unknown(JsonInput<E> value, Collection<String> known);

  /** A value is not what it must be: an expectation with its article, as in {@code a string}. */
  E wrong(JsonInput<E> value, String expected);
}
