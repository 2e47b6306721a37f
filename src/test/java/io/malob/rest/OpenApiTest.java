package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.algorithm.Algorithm;
import io.malob.rest.RestServer.Answer;
import io.malob.state.network.ServerValue;
import io.malob.store.MemoryStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The OpenAPI document has all that there is, and nothing else. */
class OpenApiTest {
  private static final List<String> BASES = List.of("/quantum/v1.0/", "/wm/malob/");
  private static final List<String> METHODS = List.of("GET", "PUT", "POST", "PATCH", "DELETE");

  /** Below the same base path, but of other modules. */
  private static final Set<String> OTHERS = Set.of("events", "logs");

  private static final DocumentedAnswers DOCUMENT = new DocumentedAnswers();
  private static RestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  /** One item of each kind, all with the id x. */
  @BeforeEach
  void setUp() throws Exception {
    server.clear();
    server.put("/load_balancers/x", "{\"address\":\"10.0.0.100\"}");
    server.put("/vips/x", "{\"address\":\"10.0.0.100\",\"port\":80}");
    server.put("/pools/x", "{\"vip_id\":\"x\"}");
    server.put("/members/x", "{\"address\":\"10.0.0.1\",\"pool_id\":\"x\"}");
    server.put("/health_monitors/x", "{\"type\":\"TCP\",\"pool_id\":\"x\"}");
    server.put("/services/x", "{\"port\":99,\"algorithm\":\"RR\"}");
    server.sendTo("DELETE", "/wm/malob/mptcp", null);
    server.sendTo("PUT", "/wm/malob/capacities/00:00:00:00:00:00:00:01/3", "{\"mbps\":50}");
    server.sendTo("PUT", "/wm/malob/routes/10.2.0.0/16", "{\"next_hop\":\"10.0.0.1\"}");
  }

  static Stream<String> paths() {
    return DOCUMENT.paths().stream()
        .filter(path -> BASES.stream().anyMatch(path::startsWith))
        .filter(path -> !OTHERS.contains(path.split("/", -1)[3]));
  }

  private static String filled(String path) {
    return path.replace("{switch}/{port}", "00:00:00:00:00:00:00:01/3")
        .replace("{address}/{length}", "10.2.0.0/16")
        .replaceAll("\\{[a-z]+\\}", "x");
  }

  /** What is documented is answered as that says, see {@link DocumentedAnswers}. */
  @ParameterizedTest
  @MethodSource("paths")
  void methodsOfAPath_areThoseThatAreDocumented(String path) throws Exception {
    Set<String> documented = DOCUMENT.methods(path);
    for (String method : METHODS) {
      Answer answer = server.sendTo(method, filled(path), method.equals("GET") ? null : "{}");
      if (documented.contains(method)) {
        assertTrue(answer.status() != 405, method + " " + path);
        boolean needsMore = path.endsWith("/explain") || path.endsWith("/picture");
        assertTrue(
            !method.equals("GET") || needsMore || answer.status() == 200,
            path + " " + answer.text());
      } else {
        assertEquals(405, answer.status(), method + " " + path);
        assertEquals(
            new TreeSet<>(documented),
            answer.response().headers().allValues("Allow").stream()
                .flatMap(value -> Stream.of(value.split(",\\s*")))
                .collect(Collectors.toCollection(TreeSet::new)));
      }
    }
  }

  /** Every wrong path is answered with what there is. */
  @Test
  void documentedNames_areThoseThatThereAre() throws Exception {
    for (String base : BASES) {
      String error = server.sendTo("GET", base + "nothing", null).error();
      Set<String> there =
          Stream.of(error.substring(error.indexOf("only ") + 5).split(", | and "))
              .filter(name -> !name.contains("/"))
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> documented =
          DOCUMENT.paths().stream()
              .filter(path -> path.startsWith(base))
              .map(path -> path.substring(base.length()).split("/", -1)[0])
              .collect(Collectors.toCollection(TreeSet::new));
      documented.removeAll(OTHERS);
      there.removeAll(OTHERS);
      assertEquals(documented, there);
    }
  }

  @Test
  void document_isServedAsItIs() throws Exception {
    JsonNode served = server.sendTo("GET", "/wm/malob/openapi.json", null).json();

    assertEquals("3.1.0", served.get("openapi").asText());
    assertEquals(DOCUMENT.paths().size(), served.get("paths").size());
  }

  @Test
  void algorithms_areThoseThatCanBeAskedFor() throws Exception {
    List<String> listed = new ArrayList<>();
    for (JsonNode each : server.sendTo("GET", "/wm/malob/algorithms", null).json()) {
      listed.add(each.get("name").asText());
      assertFalse(each.get("description").asText().isEmpty());
    }
    assertEquals(Algorithm.names(), listed);

    JsonNode served = server.sendTo("GET", "/wm/malob/openapi.json", null).json();
    listed.add("null");
    assertEquals(
        listed,
        StreamSupport.stream(served.at("/components/schemas/Algorithm/enum").spliterator(), false)
            .map(JsonNode::asText)
            .toList());
  }

  @ParameterizedTest
  @EnumSource(ServerValue.class)
  void serverValue_isDocumentedWhereverItIsTold(ServerValue value) throws Exception {
    JsonNode schemas =
        server.sendTo("GET", "/wm/malob/openapi.json", null).json().at("/components/schemas");
    JsonNode candidate = schemas.at("/Explanation/properties/candidates/items");
    for (JsonNode schema : List.of(schemas.get("Server"), candidate)) {
      assertTrue(schema.get("properties").has(value.field()), value.field());
      assertTrue(schema.get("required").toString().contains("\"" + value.field() + "\""));
    }
    assertTrue(
        Files.readString(Path.of("docs/reference/rest-api.md"))
            .contains("`" + value.field() + "` ("),
        value.field() + " is not in docs/reference/rest-api.md");
  }

  @ParameterizedTest
  @MethodSource("paths")
  void parameterThatNobodyKnows_isRefused(String path) throws Exception {
    String method = DOCUMENT.methods(path).contains("GET") ? "GET" : "PUT";
    if (DOCUMENT.methods(path).contains(method)) {
      Answer answer = server.sendTo(method, filled(path) + "?no_such=1", null);
      assertEquals(400, answer.status());
      assertEquals("no_such", answer.field());
    }
  }
}
