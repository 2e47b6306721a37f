package io.malob.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.controller.EmbeddedController;
import io.malob.controller.module.ModuleSettings;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the controller serves at {@code /metrics}, and whether the documents agree with it. */
class MetricsServedTest {
  private static final Path DASHBOARD = Path.of("docs", "grafana", "malob.json");
  private static final Path PAGE = Path.of("docs", "reference", "metrics.md");
  private static final Pattern SERIES =
      Pattern.compile("\\b(?:malob|jvm|process|system)_[a-z0-9_]+");
  private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");

  private static EmbeddedController controller;
  private static String scraped;

  @BeforeAll
  static void scrape() throws Exception {
    try (Reader defaults =
        new InputStreamReader(
            MetricsServedTest.class.getResourceAsStream("/floodlightdefault.properties"),
            StandardCharsets.UTF_8)) {
      controller =
          EmbeddedController.start(
              ModuleSettings.read(defaults)
                  .overlaidWith(
                      Map.of(
                          "io.malob.controller.core.CoreModule.openFlowPort", "0",
                          "io.malob.controller.rest.RestModule.httpPort", "0")));
    }
    scraped = afterACollection();
  }

  @AfterAll
  static void stop() {
    controller.close();
  }

  /** The JVM's metrics of garbage collection are there only when there was one. */
  private static String afterACollection() throws Exception {
    String body = "";
    for (int tries = 0; tries < 100 && !body.contains("jvm_gc_pause_seconds_sum"); tries++) {
      System.gc();
      Thread.sleep(100);
      body = send("GET", "/metrics", "text/plain").body();
    }
    return body;
  }

  private static HttpResponse<String> send(String method, String path, String accept)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + controller.httpPort() + path))
                .header("Accept", accept)
                .method(method, BodyPublishers.noBody())
                .build(),
            BodyHandlers.ofString());
  }

  @Test
  void scrape_isPrometheusText() throws Exception {
    HttpResponse<String> response = send("GET", "/metrics", "*/*");
    assertEquals(200, response.statusCode());
    String type = response.headers().firstValue("Content-Type").orElse("");
    assertTrue(type.startsWith("text/plain") && type.contains("version=0.0.4"), type);
    assertTrue(scraped.contains("# TYPE malob_placement_seconds histogram\n"), scraped);
    assertTrue(scraped.contains("malob_placement_seconds_bucket{le=\"1.0E-5\"} 0\n"), scraped);
    assertTrue(scraped.contains("malob_packet_ins_total{outcome=\"placed\"} 0.0\n"), scraped);
    assertTrue(scraped.contains("\njvm_memory_used_bytes{"), scraped);
  }

  @Test
  void scrape_forWhoAsksForIt_isOpenMetrics() throws Exception {
    HttpResponse<String> response =
        send("GET", "/metrics", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    String type = response.headers().firstValue("Content-Type").orElse("");
    assertTrue(type.startsWith("application/openmetrics-text"), type);
    assertTrue(response.body().endsWith("# EOF\n"), response.body());
  }

  @Test
  void otherMethodsAndPaths_areRefused() throws Exception {
    HttpResponse<String> posted = send("POST", "/metrics", "*/*");
    assertEquals(405, posted.statusCode());
    assertEquals("GET", posted.headers().firstValue("Allow").orElse(""));
    assertEquals(404, send("GET", "/metrics/more", "*/*").statusCode());
  }

  @Test
  void page_listsEveryMetricAsTheCodeHasIt() throws Exception {
    List<String> rows =
        Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| `malob_")).toList();
    List<String> wanted = Arrays.stream(Metric.values()).map(MetricsServedTest::row).toList();
    assertEquals(String.join("\n", wanted), String.join("\n", rows));
  }

  private static String row(Metric metric) {
    String labels =
        metric.labels().isEmpty() ? "" : "`" + String.join("`, `", metric.labels()) + "`";
    return "| `%s` | %s | %s | %s |"
        .formatted(
            metric.fullName(),
            metric.kind().name().toLowerCase(Locale.ROOT),
            labels,
            metric.help());
  }

  @Test
  void dashboard_asksForSeriesThatAreThere() throws Exception {
    Set<String> known = new TreeSet<>();
    Matcher served = Pattern.compile("(?m)^([a-z0-9_]+)[ {]").matcher(scraped);
    while (served.find()) {
      known.add(served.group(1));
    }
    for (Metric metric : Metric.values()) {
      known.add(metric.fullName());
    }
    List<String> queries = queries();
    assertTrue(queries.size() >= 20, "" + queries);
    for (String query : queries) {
      Matcher series = SERIES.matcher(query);
      assertTrue(series.find(), "no series in " + query);
      do {
        assertTrue(known.contains(series.group()), series.group() + " in " + query);
      } while (series.find());
    }
  }

  @Test
  void dashboard_groupsByLabelsThatTheMetricHas() throws Exception {
    int groups = 0;
    for (String query : queries()) {
      Set<String> labels = new TreeSet<>(Set.of("le"));
      Arrays.stream(Metric.values())
          .filter(metric -> query.contains(metric.base()))
          .forEach(metric -> labels.addAll(metric.labels()));
      Matcher grouped = GROUPED.matcher(query);
      while (grouped.find()) {
        groups++;
        List<String> by = List.of(grouped.group(1).split(",\\s*", -1));
        assertTrue(labels.containsAll(by), by + " in " + query);
      }
    }
    assertTrue(groups >= 5, groups + " queries group");
  }

  @Test
  void dashboard_showsEveryMetric() throws Exception {
    String all = String.join("\n", queries());
    Set<Metric> missing = new TreeSet<>(Set.of(Metric.values()));
    missing.removeIf(metric -> all.contains(metric.base()));
    assertEquals(Set.of(), missing);
  }

  private static List<String> queries() throws IOException {
    JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
    assertFalse(dashboard.path("panels").isEmpty());
    return dashboard.findValuesAsText("expr");
  }
}
