package io.malob.state.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableMap;
import io.malob.json.Json;
import io.malob.state.catalog.FieldFormat.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the schemas of items in the OpenAPI document from the tables of fields: as they are shown,
 * as they are given, and in the tree. The rest of the document is written by hand, with the schemas
 * that several fields share.
 */
final class CatalogSchemas {
  private static final String SCHEMAS = "#/components/schemas/";
  private static final ImmutableMap<String, String> NULL = ImmutableMap.of("type", "null");

  /** Lists of other items, which REST adds to the fields. */
  private static final ImmutableMap<CatalogKind<?>, String> DERIVED =
      ImmutableMap.of(
          Catalog.LOAD_BALANCERS, "vips", Catalog.VIPS, "pools", Catalog.POOLS, "members");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode shared;

  private CatalogSchemas(String document) throws IOException {
    shared = JSON.readTree(document).at("/components/schemas");
  }

  /** The document's name for the items of a kind. */
  static String name(CatalogKind<?> kind) {
    return kind == Catalog.VIPS
        ? "Vip"
        : CaseFormat.LOWER_UNDERSCORE.to(CaseFormat.UPPER_CAMEL, kind.noun().replace(' ', '_'));
  }

  /** The document with the schemas that the tables make. */
  static String in(String document) throws IOException {
    CatalogSchemas schemas = new CatalogSchemas(document);
    String text = document;
    for (CatalogKind<?> kind : Catalog.KINDS) {
      String begin = "\n   \"" + name(kind);
      text = schemas.replaced(text, kind, false, 4, begin + "\": \\{\n.*?");
      text = schemas.replaced(text, kind, true, 4, begin + "Fields\": \\{\n.*?");
      String item = "\n   \"Tree\": \\{.*?\n     \"" + kind.listName() + "\": \\{.*?";
      text = schemas.replaced(text, kind, false, 7, item);
    }
    return text;
  }

  /** The document with these properties in the first object of this indentation after a begin. */
  private String replaced(
      String document, CatalogKind<?> kind, boolean areGiven, int indent, String begin) {
    String margin = "\n" + " ".repeat(indent);
    String required = areGiven ? "()" : "(" + margin + "\"required\": \\[).*?(?=\\])";
    Matcher object =
        Pattern.compile(
                "(?s)("
                    + begin
                    + margin
                    + "\"properties\": \\{)(.*?)("
                    + margin
                    + "\\},?)"
                    + required)
            .matcher(document);
    if (!object.find()) {
      throw new IllegalStateException("the document has no schema " + begin);
    }
    Map<String, String> lines = new LinkedHashMap<>();
    kind.fields().forEach(field -> lines.put(field.name(), text(property(kind, field, areGiven))));
    @Nullable String list = areGiven || indent > 4 ? null : DERIVED.get(kind);
    if (list != null) {
      JsonNode ids = shared.at("/" + name(kind) + "/properties/" + list);
      lines.put(list, text(JSON.convertValue(ids, Map.class)));
    }
    return new StringBuilder(document)
        .replace(
            object.start(),
            object.end(),
            object.group(1)
                + lines.entrySet().stream()
                    .map(line -> margin + " \"" + line.getKey() + "\": " + line.getValue())
                    .collect(Collectors.joining(","))
                + object.group(3)
                + object.group(4)
                + (areGiven ? "" : '"' + String.join("\", \"", lines.keySet()) + '"'))
        .toString();
  }

  private Map<String, Object> property(CatalogKind<?> kind, Field<?, ?> field, boolean isGiven) {
    Schema schema = field.format().schema();
    boolean canBeNull = isGiven ? !field.isRequired() : isNullable(kind, field);
    String name = isGiven ? schema.given() : schema.shown();
    Map<String, Object> property = new LinkedHashMap<>();
    if (Character.isUpperCase(name.charAt(0))) {
      List<Object> forms = new ArrayList<>(List.of(ImmutableMap.of("$ref", SCHEMAS + name)));
      if (isGiven && field.format().hasParts()) {
        forms.add(ImmutableMap.of("type", "string"));
      }
      if (canBeNull && !shared.get(name).toString().contains("\"null\"")) {
        forms.add(NULL);
      }
      property.putAll(
          forms.size() == 1
              ? ImmutableMap.of("$ref", SCHEMAS + name)
              : ImmutableMap.of("anyOf", forms));
    } else if (isGiven && !name.equals("string")) {
      property.put(
          "anyOf",
          Stream.of(bounds(name, schema), asString(schema), NULL)
              .limit(canBeNull ? 3 : 2)
              .toList());
    } else {
      property.putAll(bounds(name, schema));
      boolean canBeBlank = field.isBlankAbsent() || field.name().equals("name");
      if (isGiven && schema.maxLength() > 0 && !canBeBlank) {
        property.put("minLength", 1);
      }
      if (canBeNull) {
        property.put("type", List.of(name, "null"));
        property.computeIfPresent(
            "enum",
            (same, choices) ->
                Stream.concat(((List<?>) choices).stream(), Stream.of((Object) null)).toList());
      }
    }
    if (!schema.description().isEmpty()) {
      property.put("description", schema.description());
    }
    return property;
  }

  /** The default of a timeout depends on the delay, and that of a name on the id. */
  private static boolean isNullable(CatalogKind<?> kind, Field<?, ?> field) {
    boolean isComputed =
        field.name().endsWith("name")
            || (kind == Catalog.MONITORS && field.name().equals("timeout"));
    return !field.isRequired() && field.fallback() == null && !isComputed;
  }

  private static Map<String, Object> bounds(String type, Schema schema) {
    Map<String, Object> bounds = new LinkedHashMap<>(Map.of("type", type));
    if (!schema.range().isEmpty()) {
      bounds.put("minimum", schema.range().get(0));
      bounds.put("maximum", schema.range().get(1));
    }
    if (!schema.choices().isEmpty()) {
      bounds.put("enum", schema.choices());
    }
    if (schema.maxLength() > 0) {
      bounds.put("maxLength", schema.maxLength());
    }
    return bounds;
  }

  /** A number or flag that is given as a string. */
  private static Map<String, Object> asString(Schema schema) {
    return schema.range().isEmpty()
        ? ImmutableMap.of("type", "string", "enum", List.of("true", "false"))
        : ImmutableMap.of(
            "type",
            "string",
            "pattern",
            "^[0-9]{1," + schema.range().get(1).toString().length() + "}$");
  }

  /** JSON on one line. */
  private static String text(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(each -> text(each.getKey()) + ": " + text(each.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    } else if (value instanceof List<?> list) {
      return list.stream().map(CatalogSchemas::text).collect(Collectors.joining(", ", "[", "]"));
    }
    return value == null ? "null" : Json.text(value);
  }
}
