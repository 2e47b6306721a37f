package io.malob.rest;

import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The description of the whole REST interface (OpenAPI 3.1), as it is in the jar. */
final class OpenApiDocument {
  private static final String NAME = "openapi.json";

  private OpenApiDocument() {}

  /** Its text. */
  static Reply.Text text() {
    try {
      String json =
          Resources.toString(
              Resources.getResource(OpenApiDocument.class, NAME), StandardCharsets.UTF_8);
      return new Reply.Text("application/json", json);
    } catch (IOException e) {
      throw new UncheckedIOException("no " + NAME + " in the jar", e);
    }
  }
}
