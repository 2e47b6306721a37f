package io.malob.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.google.common.collect.ImmutableMap;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

class JsonTest {
  private record Part(int inPort, Optional<Colour> firstColour) {}

  private record Whole(
      @JsonProperty("switch") DatapathId switchId,
      @Nullable String nothing,
      OptionalInt max,
      OptionalLong none,
      OptionalDouble share,
      Colour colour,
      List<Part> parts,
      @JsonUnwrapped Part unwrapped,
      @JsonUnwrapped Map<String, Object> more,
      @JsonUnwrapped @Nullable Part absent,
      IPAddress<?> address) {}

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
  void streamedText_isTheSame() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Iterable<Integer> made = () -> List.of(1, 2).iterator();
    Json.write(out, Map.of("a", made));
    assertEquals("{\"a\":[1,2]}", out.toString(UTF_8));
  }

  @Test
  void indentedText_isTheSameValue() {
    byte[] text = Json.indentedBytes(Map.of("a", List.of(1, 2)));

    assertTrue(new String(text, UTF_8).contains("\n"));
    assertEquals("{\"a\":[1,2]}", new String(text, UTF_8).replaceAll("\\s", ""));
  }

  @Test
  void records_areWritten_oneFieldPerComponent() {
    assertEquals(
        "{\"switch\":\"00:00:00:00:00:00:00:01\",\"nothing\":null,\"max\":3,\"none\":null,"
            + "\"share\":0.5,\"colour\":\"red\",\"parts\":[{\"in_port\":1,\"first_colour\":\"red\"}],"
            + "\"in_port\":2,\"first_colour\":null,\"a\":[],\"address\":\"2001:db8::1\"}",
        Json.text(
            new Whole(
                DatapathId.of(1),
                null,
                OptionalInt.of(3),
                OptionalLong.empty(),
                OptionalDouble.of(0.5),
                Colour.RED,
                List.of(new Part(1, Optional.of(Colour.RED))),
                new Part(2, Optional.empty()),
                Map.of("a", List.of()),
                null,
                IPAddress.of("2001:db8::1"))));
  }

  /** With our Jackson as with Floodlight's, so that tests with ours find them. */
  @Test
  void beans_areRefused_whereverTheyAre() {
    for (Object refused : List.of(new Bean(), Optional.of(1))) {
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
}
