package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Catalogs as large as they may be, of parts that take much more memory than text, on the heap that
 * is shipped, in a process of its own.
 */
class ConfigHeapTest {
  private static final int MAX_BYTES = 16 * 1024 * 1024;
  private static final int MAX_VALUES = 1_000_000;
  private static final int AT_ONCE = 4;
  private static final String JSON = "application/json";
  private static final String YAML = "application/yaml";

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path directory;

  /** Of the max size in bytes, or the max number of values. */
  private static String filled(String start, String part, String end, int values) {
    int room = (MAX_BYTES - start.length() - end.length()) / part.length();
    return start + part.repeat(Math.min(room, MAX_VALUES / values - 2)) + end;
  }

  private static String filled(String start, String part, String end) {
    return start + part.repeat((MAX_BYTES - start.length() - end.length()) / part.length()) + end;
  }

  private static String doubled() {
    StringBuilder yaml = new StringBuilder("l0: &l0 [" + "0,".repeat(200_000) + "0]\n");
    for (int i = 1; i <= 5; i++) {
      yaml.append("l" + i + ": &l" + i + " [*l" + (i - 1) + ",*l" + (i - 1) + "]\n");
    }
    return yaml.toString();
  }

  /** Bodies, by their media types. */
  private static Map<String, List<String>> bodies() {
    return new TreeMap<>(
        Map.of(
            JSON,
            List.of(
                filled("{\"vips\":[{}", ",{}", "]}"),
                filled("{\"vips\":[[]", ",[]", "]}"),
                filled("{\"vips\":[0", ",0", "]}"),
                filled("{\"vips\":[{}", ",{\"a\":1}", "]}"),
                filled("{\"vips\":[{}", ",{\"a\":1}", "]}", 2),
                filled("{\"x\":[{}", ",{}", "]}", 1),
                filled("{\"members\":[{}", ",{\"id\":\"1\"}", "]}", 2)),
            YAML,
            List.of(
                filled("vips: [{}", ",{}", "]"),
                filled("vips: [0", ",0", "]"),
                filled("vips: [{}", ",{a: 1}", "]"),
                filled("x: &x " + "x".repeat(1_000_000) + "\nvips: [*x", ",*x", "]"),
                doubled(),
                filled("vips: [{}", ",{a: 1}", "]", 3),
                filled("vips:\n", "- a: 1\n", "", 3))));
  }

  @Test
  void catalogs_asLargeAsTheyMayBe_areRefusedWithinTheHeap() throws Exception {
    try (SmallHeap controller = new SmallHeap(directory, "-XX:+UseShenandoahGC")) {
      for (Map.Entry<String, List<String>> type : bodies().entrySet()) {
        for (String body : type.getValue()) {
          assertRefused(controller, type.getKey(), body, 1);
        }
        // the last one has the most values that are accepted
        int last = type.getValue().size() - 1;
        assertRefused(controller, type.getKey(), type.getValue().get(last), AT_ONCE);
      }
    }
  }

  private void assertRefused(SmallHeap controller, String type, String body, int atOnce) {
    String start = type + " " + body.substring(0, 20);
    HttpRequest request =
        HttpRequest.newBuilder(controller.uri("/wm/malob/config?dry_run=true"))
            .header("Content-Type", type)
            .timeout(Duration.ofSeconds(60))
            .PUT(BodyPublishers.ofString(body))
            .build();
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < atOnce; i++) {
      answers.add(client.sendAsync(request, BodyHandlers.ofString()));
    }
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      assertEquals(400, answer.join().statusCode(), start);
    }
    assertTrue(controller.isAlive(), start);
  }
}
