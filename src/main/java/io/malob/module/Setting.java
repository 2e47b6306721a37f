package io.malob.module;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.primitives.Ints;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * One setting of a module. The module's class before its name is the key in properties files. The
 * reference of all settings and the shipped properties files are generated from these.
 *
 * @param name the key in properties files, after the class of the module
 * @param defaultText the default, as in a file; empty for an empty text, or if the module computes
 *     the default
 * @param expected the valid values, as in "must be …"; empty if the setting takes any text
 * @param sentence what it sets, for users
 * @param deprecated a former name that is still accepted; empty if there is none
 * @param parser the value of a text; empty if the text is invalid
 */
public record Setting<T>(
    String name,
    String defaultText,
    String expected,
    String sentence,
    Optional<String> deprecated,
    Function<String, Optional<T>> parser) {

  /** A whole number between two bounds, both inclusive. */
  public static Setting<Integer> number(String name, int defaultValue, int min, int max) {
    return number(name, Integer.toString(defaultValue), min, max);
  }

  /** A whole number whose default the module computes. */
  public static Setting<Integer> number(String name, int min, int max) {
    return number(name, "", min, max);
  }

  private static Setting<Integer> number(String name, String defaultText, int min, int max) {
    return of(
        name,
        defaultText,
        String.format("a whole number from %d to %d", min, max),
        text -> Optional.ofNullable(Ints.tryParse(text)).filter(n -> n >= min && n <= max));
  }

  /** One of two values, {@code true} and {@code false}. */
  public static Setting<Boolean> flag(String name, boolean defaultValue) {
    return of(
        name,
        Boolean.toString(defaultValue),
        "true or false",
        text -> Optional.of(text.equals("true")).filter(isTrue -> isTrue || text.equals("false")));
  }

  /** Any text. */
  public static Setting<String> text(String name, String defaultValue) {
    return of(name, defaultValue, "", Optional::of);
  }

  /** A constant of an enum, by its name in lower case. */
  public static <E extends Enum<E>> Setting<E> choice(
      String name, Class<E> type, String defaultText) {
    ImmutableMap<String, E> choices =
        Maps.uniqueIndex(
            Arrays.asList(type.getEnumConstants()), each -> each.name().toLowerCase(Locale.ROOT));
    return of(
        name,
        defaultText,
        String.join(" or ", choices.keySet()),
        text -> Optional.ofNullable(choices.get(text)));
  }

  private static <T> Setting<T> of(
      String name, String defaultText, String expected, Function<String, Optional<T>> parser) {
    return new Setting<>(name, defaultText, expected, "", Optional.empty(), parser);
  }

  /** The same setting with a sentence that says what it sets, for users. */
  public Setting<T> describedAs(String sets) {
    return new Setting<>(name, defaultText, expected, sets, deprecated, parser);
  }

  /** The same setting, which is also accepted under a deprecated name. */
  public Setting<T> formerly(String oldName) {
    return new Setting<>(name, defaultText, expected, sentence, Optional.of(oldName), parser);
  }

  /** The key in properties files. */
  public String of(Class<?> module) {
    return module.getName() + "." + name;
  }
}
