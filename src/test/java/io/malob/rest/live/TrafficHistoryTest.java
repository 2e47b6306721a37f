package io.malob.rest.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.json.Json;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficHistoryTest {
  private static final TrafficGraph GRAPH = TrafficGraph.REQUESTS_BY_SERVER;

  private final TrafficHistory history = new TrafficHistory();
  private long timeMillis;

  private void add(Map<String, Double> values) {
    timeMillis += 1000;
    history.add(new TrafficSample(timeMillis, 1.5, 0, Map.of(GRAPH, values)));
  }

  private JsonNode shown() throws Exception {
    return new ObjectMapper().readTree(Json.bytes(history.shown()));
  }

  private JsonNode lines() throws Exception {
    return shown().get(GRAPH.text());
  }

  @Test
  void shown_withoutSamples_isEmpty() throws Exception {
    assertEquals("[]", shown().get("time_ms").toString());
    assertEquals("{}", lines().toString());
    assertNull(history.latest());
  }

  @Test
  void shown_isOldestFirstAndNullWhereALineHasNoValue() throws Exception {
    add(Map.of("a", 1.0));
    add(Map.of("b", 0.25));
    add(Map.of("a", 3.0, "b", 0.0001));
    assertEquals("[1000,2000,3000]", shown().get("time_ms").toString());
    assertEquals("{\"a\":[1,null,3],\"b\":[null,0.25,0]}", lines().toString());
  }

  @Test
  void latest_hasTheValuesOfTheLastSample() {
    add(Map.of("a", 1.0));
    add(Map.of("b", 2.0));
    String latest = Json.text(history.latest());
    assertTrue(
        latest.startsWith(
            "{\"time_ms\":2000,\"requests_per_second\":1.5,\"rejections_per_second\":0.0,"),
        latest);
    assertTrue(latest.contains("\"requests_by_server\":{\"b\":2}"), latest);
  }

  @Test
  void samples_beyondTenMinutes_replaceTheOldest() throws Exception {
    for (int i = 1; i <= TrafficHistory.MAX_SAMPLES + 5; i++) {
      add(Map.of("a", (double) i));
    }
    JsonNode times = shown().get("time_ms");
    assertEquals(TrafficHistory.MAX_SAMPLES, times.size());
    assertEquals(6000, times.get(0).asLong());
    assertEquals(6, lines().get("a").get(0).asInt());
    assertEquals(
        TrafficHistory.MAX_SAMPLES + 5,
        lines().get("a").get(TrafficHistory.MAX_SAMPLES - 1).asInt());
  }

  @Test
  void line_withoutValuesForTenMinutes_isForgotten() throws Exception {
    add(Map.of("gone", 5.0));
    for (int i = 0; i < TrafficHistory.MAX_SAMPLES - 1; i++) {
      add(Map.of("a", 1.0));
    }
    assertTrue(lines().has("gone"));
    add(Map.of("a", 1.0));
    assertFalse(lines().has("gone"));
  }

  @Test
  void lines_beyondTheLimit_areThoseWithTheHighestPeaks() throws Exception {
    Map<String, Double> many = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      many.put("m" + i, (double) i);
    }
    add(many);
    assertEquals(TrafficHistory.MAX_LINES, lines().size());
    assertTrue(lines().has("m999"));
    assertTrue(lines().has("m950"));
    assertFalse(lines().has("m949"));
    many.replaceAll((id, value) -> 0.0);
    many.put("m3", 950.5);
    add(many);
    assertEquals(TrafficHistory.MAX_LINES, lines().size());
    assertEquals("[null,950.5]", lines().get("m3").toString());
    assertFalse(lines().has("m950"), "the lowest peak makes room");
    assertEquals("[951,0]", lines().get("m951").toString());
  }
}
