package io.malob.state.catalog;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
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

  static final String DESCRIPTION = "description";
  static final String TAGS = "tags";
  static final String EXTERNAL_IDS = "external_ids";

  /** The fields whose values have parts. */
  static final Set<String> PARTS = Set.of(TAGS, EXTERNAL_IDS);

  /** The notes of these fields, with the current ones as defaults. */
  static Notes read(FieldReader fields, @Nullable Notes current) throws RejectedException {
    Notes now = current == null ? NONE : current;
    return new Notes(
        fields.orEmpty(DESCRIPTION, now.description, Notes::limited, NONE.description),
        fields.orEmpty(TAGS, now.tags, Notes::tags, NONE.tags),
        fields.orEmpty(EXTERNAL_IDS, now.externalIds, Notes::externalIds, NONE.externalIds));
  }

  /** Adds the fields of the notes. */
  void addFields(Map<String, @Nullable Object> fields) {
    fields.put(DESCRIPTION, description);
    fields.put(TAGS, tags);
    fields.put(EXTERNAL_IDS, externalIds);
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
