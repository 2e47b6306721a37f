package io.malob.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  private record Plain(String mac, int port) {}

  private record Annotated(@JsonProperty("switch") String switchId, int port) {}

  /** A bean, which every version of Jackson could write. */
  public static final class Bean {
    public int getPort() {
      return 1;
    }
  }

  private enum Colour {
    RED
  }

  @Test
  void values_areWritten() {
    Map<String, Object> value =
        ImmutableMap.of(
            "list",
            Arrays.asList(1, 2L, 0.5, 1e-7, "ü\"", true, null),
            "map",
            Map.of("a", List.of()),
            "enum",
            Colour.RED,
            "numbers",
            new int[] {1, 2},
            "tree",
            Json.object().put("x", 1).putPOJO("y", List.of("z")));

    assertEquals(
        "{\"list\":[1,2,0.5,1.0E-7,\"ü\\\"\",true,null],\"map\":{\"a\":[]},\"enum\":\"RED\","
            + "\"numbers\":[1,2],\"tree\":{\"x\":1,\"y\":[\"z\"]}}",
        Json.text(value));
    assertEquals(Json.text(value), new String(Json.bytes(value), UTF_8));
  }

  @Test
  void indentedText_isTheSameValue() throws IOException {
    byte[] text = Json.indentedBytes(Map.of("a", List.of(1, 2)));

    assertTrue(new String(text, UTF_8).contains("\n"));
    assertEquals("{\"a\":[1,2]}", Json.read(text).toString());
  }

  /** With our Jackson as with Floodlight's, so that tests with ours find them. */
  @Test
  void recordsAndBeans_areRefused_whereverTheyAre() {
    for (Object refused : List.of(new Plain("m", 1), new Annotated("s", 1), new Bean())) {
      for (Object value :
          List.of(
              refused,
              List.of(refused),
              Map.of("a", Map.of("b", refused)),
              Json.object().putPOJO("a", refused))) {
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> Json.text(value));
        assertTrue(
            e.getCause().getMessage().contains(refused.getClass().getName()),
            e.getCause().getMessage());
      }
    }
  }

  @Test
  void text_isRead() throws IOException {
    assertEquals("{\"a\":[1,{}]}", Json.read(bytes("{\"a\": [1, {}]} tail")).toString());
    assertTrue(Json.read(bytes("  ")).isMissingNode());
    assertEquals(2, Json.read(bytes("{\"a\":1,\"a\":2}")).get("a").asInt());
    assertEquals("[1]", Json.readStrictly(bytes("[1] ")).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":1,\"a\":2}", "[1] x", "[1] 2", "[1", "{\"a\"}"})
  void wrongText_isRefused_ifReadStrictly(String text) {
    assertThrows(JsonProcessingException.class, () -> Json.readStrictly(bytes(text)));
  }

  @Test
  void nesting_isReadUpToTheLimit() throws IOException {
    String deep = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);

    assertEquals(deep, Json.read(bytes(deep)).toString());
    assertEquals(deep, Json.readStrictly(bytes(deep)).toString());
  }

  /** Jackson 2.11 overflows the stack. */
  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":", "[[],{\"b\":"})
  void deeperNesting_isRefused_withItsPlace(String level) {
    byte[] text = bytes(level.repeat(200_000));
    for (JsonProcessingException e :
        List.of(
            assertThrows(JsonProcessingException.class, () -> Json.read(text)),
            assertThrows(JsonProcessingException.class, () -> Json.readStrictly(text)))) {
      assertEquals("nested deeper than 100 levels", e.getOriginalMessage());
      assertEquals(1, e.getLocation().getLineNr());
    }
  }

  @Test
  void longNumber_isRefused() throws IOException {
    assertTrue(Json.read(bytes("1".repeat(1_000))).isBigInteger());
    assertThrows(JsonProcessingException.class, () -> Json.read(bytes("[" + "1".repeat(1_001))));
    assertThrows(
        JsonProcessingException.class, () -> Json.readStrictly(bytes("[" + "1".repeat(1_000_000))));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
