package io.malob.controller.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class YamlTextTest {
  /** More aliases than a reader accepts, if they were written. */
  @Test
  void partsThatAreOneObject_areWrittenOutAndReadAgain() throws Exception {
    List<String> shared = List.of("x");
    Object document = Map.of("items", Collections.nCopies(50, shared));
    YamlText yaml = new YamlText();

    String text = yaml.write(document);

    assertEquals(-1, text.indexOf('&'), text);
    assertEquals(
        new String(Json.bytes(document), StandardCharsets.UTF_8),
        new String(yaml.toJson(text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8));
  }

  private static String refusal(String yaml) {
    return assertThrows(
            IOException.class, () -> new YamlText().toJson(yaml.getBytes(StandardCharsets.UTF_8)))
        .getMessage();
  }

  @Test
  void moreNamesAndValuesThanTheLimit_areRefusedWithTheirPlace() {
    assertEquals(
        "it has more than 1000000 names and values at line 1, column 2000000",
        refusal("[" + "0,".repeat(1_000_001) + "0]"));
  }

  @Test
  void aliasesThatMakeItLong_areRefused() {
    String text = "x: &x " + "x".repeat(1_000_000) + "\ny: [*x" + ",*x".repeat(1_000) + "]";
    assertEquals("it has more than 33554432 bytes as JSON", refusal(text));
  }

  /** Long texts are read in two steps. */
  @Test
  void mistakeInALongText_hasItsPlace() {
    String text = "- 'a long line of text, of which there are many'\n".repeat(50_000) + "- [";
    assertTrue(refusal(text).contains(" at line 50001, "), refusal(text));
  }
}
