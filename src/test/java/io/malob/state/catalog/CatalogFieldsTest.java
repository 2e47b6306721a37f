package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each component of an item has a field, and the OpenAPI document says the same of each field. */
class CatalogFieldsTest {
  private static final Path DOCUMENT = Path.of("src/main/resources/io/malob/rest/openapi.json");
  private static final JsonNode SCHEMAS = schemas();

  /** The items of each kind, and the document's name for them. */
  private static final ImmutableMap<CatalogKind<?>, Class<?>> ITEMS =
      ImmutableMap.<CatalogKind<?>, Class<?>>builder()
          .put(Catalog.LOAD_BALANCERS, LoadBalancer.class)
          .put(Catalog.VIPS, Vip.class)
          .put(Catalog.POOLS, Pool.class)
          .put(Catalog.MEMBERS, Member.class)
          .put(Catalog.SERVICES, Service.class)
          .put(Catalog.MONITORS, Monitor.class)
          .build();

  /** Components of several fields, and the number, which users do not see. */
  private static final Map<String, Integer> FIELDS_OF_COMPONENTS =
      Map.of("number", 0, "notes", 3, "http", 4);

  /** Null for monitors of other types. */
  private static final List<String> HTTP =
      List.of("http_method", "url_path", "expected_codes", "expected_body");

  private static JsonNode schemas() {
    try {
      return new ObjectMapper().readTree(DOCUMENT.toFile()).at("/components/schemas");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static Stream<CatalogKind<?>> kinds() {
    return Catalog.KINDS.stream();
  }

  private static List<String> names(JsonNode object) {
    return Lists.newArrayList(object.fieldNames());
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void everyComponentHasAField(CatalogKind<?> kind) {
    int expected = 0;
    for (RecordComponent component : ITEMS.get(kind).getRecordComponents()) {
      expected += FIELDS_OF_COMPONENTS.getOrDefault(component.getName(), 1);
    }
    assertEquals(expected, kind.fieldNames().size(), kind.fieldNames().toString());
  }

  @Test
  void document_hasTheSchemasThatTheTablesMake() throws IOException {
    String document = Files.readString(DOCUMENT);
    String made = CatalogSchemas.in(document);
    if (!made.equals(document)) {
      Files.writeString(Files.createDirectories(Path.of("target")).resolve("openapi.json"), made);
    }
    assertEquals(made, document, "cp target/openapi.json " + DOCUMENT + " brings it up to date");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void document_hasTheFieldsInTheirOrder(CatalogKind<?> kind) {
    List<String> fields = kind.fieldNames();
    JsonNode shown = SCHEMAS.get(CatalogSchemas.name(kind));
    assertEquals(fields, names(shown.get("properties")).subList(0, fields.size()));
    assertEquals(names(shown.get("properties")), texts(shown.get("required")));
    assertEquals(
        fields, names(SCHEMAS.get(CatalogSchemas.name(kind) + "Fields").get("properties")));
    for (String tree : List.of("Tree", "TreeFields")) {
      JsonNode items = SCHEMAS.get(tree).get("properties").get(kind.listName()).get("items");
      if (items.has("properties")) {
        assertEquals(fields, names(items.get("properties")), tree);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <T extends CatalogItem> void document_hasTheBoundsOfEachField(CatalogKind<T> kind) {
    for (Field<T, ?> field : kind.fields()) {
      for (String form : List.of("", "Fields")) {
        JsonNode property =
            SCHEMAS.get(CatalogSchemas.name(kind) + form).get("properties").get(field.name());
        List<JsonNode> schemas = alternatives(property);
        String at = CatalogSchemas.name(kind) + form + "." + field.name() + ": " + property;
        checkBounds(field.format().schema(), schemas, at);
        boolean canBeNull = form.isEmpty() ? isNullable(field) : !field.isRequired();
        boolean isNull = schemas.stream().anyMatch(each -> types(each).contains("null"));
        // only an algorithm may be null where it is required, by its shared schema
        assertTrue(canBeNull == isNull || at.contains("lgorithm"), at);
      }
    }
  }

  /** The default of a timeout depends on the delay, and that of a name on the id. */
  private static boolean isNullable(Field<?, ?> field) {
    boolean hasDefault =
        field.fallback() != null || field.name().equals("timeout") || field.name().endsWith("name");
    return HTTP.contains(field.name()) || !(field.isRequired() || hasDefault);
  }

  private static void checkBounds(FieldFormat.Schema bounds, List<JsonNode> schemas, String at) {
    if (!bounds.range().isEmpty()) {
      JsonNode number =
          schemas.stream()
              .filter(each -> types(each).contains("integer"))
              .findFirst()
              .orElseThrow();
      assertEquals(bounds.range().get(1), number.get("maximum").asInt(), at);
      assertTrue(bounds.range().get(0) >= number.get("minimum").asInt(), at);
    }
    if (!bounds.choices().isEmpty()) {
      List<String> choices = new ArrayList<>(texts(schemas.get(0).get("enum")));
      choices.remove("null");
      assertEquals(bounds.choices(), choices, at);
    }
    if (bounds.maxLength() > 0 && schemas.get(0).has("maxLength")) {
      assertEquals(bounds.maxLength(), schemas.get(0).get("maxLength").asInt(), at);
    }
  }

  private static List<String> types(JsonNode schema) {
    JsonNode type = schema.path("type");
    return type.isArray() ? texts(type) : List.of(type.asText());
  }

  /** A property's alternatives, without references. */
  private static List<JsonNode> alternatives(JsonNode property) {
    if (property.has("$ref")) {
      return alternatives(
          SCHEMAS.get(property.get("$ref").asText().replace("#/components/schemas/", "")));
    }
    if (property.has("anyOf") && !property.has("type")) {
      List<JsonNode> all = new ArrayList<>();
      property.get("anyOf").forEach(each -> all.addAll(alternatives(each)));
      return all;
    }
    return List.of(property);
  }
}
