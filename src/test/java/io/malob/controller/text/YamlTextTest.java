package io.malob.controller.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.json.Json;
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
}
