package io.malob.state.catalog;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Descriptions of an item by users and other systems, without effect. Immutable.
 *
 * @param description a text; empty for none
 * @param tags different strings without commas, in the given order
 * @param externalIds what other systems know the item by, by name; strings without commas
 */
public record Notes(
    String description, ImmutableList<String> tags, ImmutableMap<String, String> externalIds) {

  /** No notes. */
  public static final Notes NONE = new Notes("", ImmutableList.of(), ImmutableMap.of());

  /** The max number of tags. */
  public static final int MAX_TAGS = 64;

  /** The max number of external ids. */
  public static final int MAX_EXTERNAL_IDS = 16;

  /** The max length of a description, a tag, and the name or value of an external id. */
  public static final int MAX_LENGTH = 255;

  private static final FieldFormat<String> DESCRIPTION =
      FieldFormat.text(Notes::limited, MAX_LENGTH).shownAs("Description");
  private static final FieldFormat<ImmutableList<String>> TAGS =
      FieldFormat.ofParts("Tags", Notes::tags, tags -> tags);
  private static final FieldFormat<ImmutableMap<String, String>> EXTERNAL_IDS =
      FieldFormat.ofParts("ExternalIds", Notes::externalIds, ids -> ids);

  /** The fields of a kind's notes. */
  record Group<T extends CatalogItem>(
      Field<T, String> description,
      Field<T, ImmutableList<String>> tags,
      Field<T, ImmutableMap<String, String>> externalIds) {

    static <T extends CatalogItem> Group<T> of(Function<T, Notes> notes) {
      return new Group<>(
          field("description", notes.andThen(Notes::description), DESCRIPTION, NONE.description),
          field("tags", notes.andThen(Notes::tags), TAGS, NONE.tags),
          field("external_ids", notes.andThen(Notes::externalIds), EXTERNAL_IDS, NONE.externalIds));
    }

    /** A field that a blank string clears as well. */
    private static <T, V> Field<T, V> field(
        String name, Function<T, @Nullable V> getter, FieldFormat<V> format, V none) {
      return new Field<>(name, getter, format, false, none, true, null);
    }

    Notes read(FieldReader<T> fields) throws RejectedException {
      return new Notes(fields.get(description), fields.get(tags), fields.get(externalIds));
    }
  }

  /**
   * The tags as a value of a change.
   *
   * @see Fields
   */
  public static String tagsText(Iterable<String> tags) {
    return String.join(",", tags);
  }

  /**
   * The external ids as a value of a change.
   *
   * @see Fields
   */
  public static String externalIdsText(Map<String, String> externalIds) {
    return externalIds.entrySet().stream()
        .map(id -> id.getKey() + "=" + id.getValue())
        .collect(joining(","));
  }

  private static ImmutableList<String> tags(String field, String text) throws RejectedException {
    Set<String> tags = new LinkedHashSet<>();
    for (String part : text.split(",", -1)) {
      tags.add(notEmpty(field, "a tag", limited(field, part.strip())));
    }
    if (tags.size() > MAX_TAGS) {
      throw RejectedException.invalid(field, field + " must be at most " + MAX_TAGS + " strings");
    }
    return ImmutableList.copyOf(tags);
  }

  private static ImmutableMap<String, String> externalIds(String field, String text)
      throws RejectedException {
    Map<String, String> ids = new LinkedHashMap<>();
    for (String part : text.split(",", -1)) {
      int sign = part.indexOf('=');
      if (sign < 0) {
        throw RejectedException.invalid(
            field, field + " must be names with values, not " + FieldFormat.quoted(part));
      }
      String name = notEmpty(field, "a name", limited(field, part.substring(0, sign).strip()));
      if (ids.put(name, limited(field, part.substring(sign + 1).strip())) != null) {
        throw RejectedException.invalid(
            field, field + " has " + FieldFormat.quoted(name) + " twice");
      }
    }
    if (ids.size() > MAX_EXTERNAL_IDS) {
      throw RejectedException.invalid(
          field, field + " must have at most " + MAX_EXTERNAL_IDS + " names");
    }
    return ImmutableMap.copyOf(ids);
  }

  private static String notEmpty(String field, String part, String text) throws RejectedException {
    if (text.isEmpty()) {
      throw RejectedException.invalid(field, field + ": " + part + " is empty");
    }
    return text;
  }

  private static String limited(String field, String text) throws RejectedException {
    if (text.length() > MAX_LENGTH) {
      throw RejectedException.invalid(
          field, field + " must have at most " + MAX_LENGTH + " characters in a string");
    }
    return FieldFormat.printable(field, text);
  }
}
