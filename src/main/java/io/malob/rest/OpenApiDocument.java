package io.malob.rest;

import com.google.common.io.Resources;
import io.malob.algorithm.Algorithm;
import io.malob.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The description of the whole REST interface (OpenAPI 3.1), from the jar, with the names of all
 * algorithms.
 */
final class OpenApiDocument {
  private static final String NAME = "openapi.json";
  private static final String ALGORITHM = "\"Algorithm\": {";

  private OpenApiDocument() {}

  /** Its text. */
  static String json() {
    List<@Nullable String> names = new ArrayList<>(Algorithm.names());
    names.add(null);
    try {
      return Resources.toString(
              Resources.getResource(OpenApiDocument.class, NAME), StandardCharsets.UTF_8)
          .replace(ALGORITHM, ALGORITHM + "\"enum\": " + Json.text(names) + ",");
    } catch (IOException e) {
      throw new UncheckedIOException("no " + NAME + " in the jar", e);
    }
  }
}
