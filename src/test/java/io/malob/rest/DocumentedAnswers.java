package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** The answers that the OpenAPI document has for each path and method. Thread-safe. */
final class DocumentedAnswers {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What any request can get that is not even one of the document's. */
  private static final Set<Integer> ELSEWHERE = Set.of(400, 404, 405);

  private final JsonNode document;
  private final Map<String, Pattern> paths = new LinkedHashMap<>();
  private final Map<JsonNode, JsonSchema> schemas = new ConcurrentHashMap<>();
  private final JsonSchemaFactory factory =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

  DocumentedAnswers() {
    try {
      document = JSON.readTree(OpenApiDocument.json());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    document
        .get("paths")
        .fieldNames()
        .forEachRemaining(
            path ->
                paths.put(path, Pattern.compile(path.replaceAll("\\{[a-z]+\\}", "[^/]+") + "/?")));
  }

  /** The paths, with parameters in braces. */
  Set<String> paths() {
    return paths.keySet();
  }

  /** The methods that a path has, in capital letters. */
  Set<String> methods(String path) {
    List<String> methods = new ArrayList<>();
    document.get("paths").get(path).fieldNames().forEachRemaining(methods::add);
    return Set.copyOf(
        methods.stream().map(method -> method.toUpperCase(Locale.ROOT)).sorted().toList());
  }

  /** Checks that an answer is documented, with its status, type, and form. */
  void check(HttpRequest request, HttpResponse<String> response) throws IOException {
    Optional<String> path =
        paths.entrySet().stream()
            .filter(entry -> entry.getValue().matcher(request.uri().getRawPath()).matches())
            .map(Map.Entry::getKey)
            .findFirst();
    String what = request.method() + " " + request.uri() + " " + response.statusCode();
    if (path.isEmpty() || !methods(path.get()).contains(request.method())) {
      boolean isHead = request.method().equals("HEAD");
      assertTrue(isHead || ELSEWHERE.contains(response.statusCode()), what);
      return;
    }
    JsonNode answer =
        document
            .get("paths")
            .get(path.get())
            .get(request.method().toLowerCase(Locale.ROOT))
            .get("responses")
            .get(Integer.toString(response.statusCode()));
    assertTrue(answer != null, what + " is not documented: " + response.body());
    if (answer.has("$ref")) {
      answer = document.at(answer.get("$ref").asText().substring(1));
    }
    checkBody(what, answer, response);
  }

  private void checkBody(String what, JsonNode answer, HttpResponse<String> response)
      throws IOException {
    if (!answer.has("content")) {
      assertEquals("", response.body(), what);
      return;
    }
    String type = response.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
    JsonNode content = answer.get("content").get(type);
    assertTrue(content != null, what + " is not documented as " + type);
    if (type.equals("application/json")) {
      JsonSchema schema = schemas.computeIfAbsent(content.get("schema"), this::schema);
      assertEquals(
          Set.of(), schema.validate(JSON.readTree(response.body())), what + " " + response.body());
    }
  }

  private JsonSchema schema(JsonNode node) {
    ObjectNode root = JSON.createObjectNode();
    root.putArray("allOf").add(node);
    root.set("components", document.get("components"));
    return factory.getSchema(root);
  }
}
