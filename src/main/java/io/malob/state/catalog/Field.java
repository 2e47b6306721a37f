package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A field of the items of a kind: from it they are read, shown, stored and described. Immutable.
 *
 * @param name the name in REST, in trees and in the stored catalog
 * @param getter the value of an item; null if it is not set
 * @param format the possible values
 * @param isRequired whether a new item needs it
 * @param fallback the value of an item for which it is not given; null if it can be unset
 * @param isBlankAbsent whether a blank string clears it
 * @param target the list of the items whose id it is; null if it is no reference
 */
record Field<T, V>(
    String name,
    Function<T, @Nullable V> getter,
    FieldFormat<V> format,
    boolean isRequired,
    @Nullable V fallback,
    boolean isBlankAbsent,
    @Nullable String target) {

  /** The value of an item as JSON; null if it is not set. */
  @Nullable Object shown(T item) {
    @Nullable V value = getter.apply(item);
    return value == null ? null : format.shown().apply(value);
  }

  /** The value of a string, which must not be blank. */
  V parse(String text) throws RejectedException {
    return format.parse(name, text);
  }
}
