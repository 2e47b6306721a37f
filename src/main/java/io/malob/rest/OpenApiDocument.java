package io.malob.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.Resources;
import io.malob.algorithm.Algorithm;
import io.malob.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The description of the whole REST interface (OpenAPI 3.1), as it is in the jar, with the names of
 * all algorithms filled in.
 */
final class OpenApiDocument {
  private static final String NAME = "openapi.json";

  private OpenApiDocument() {}

  /** Its text. */
  static Reply.Text text() {
    try {
      JsonNode document =
          Json.read(Resources.toByteArray(Resources.getResource(OpenApiDocument.class, NAME)));
      ArrayNode names =
          ((ObjectNode) document.at("/components/schemas/Algorithm")).putArray("enum");
      Algorithm.names().forEach(names::add);
      names.addNull();
      return new Reply.Text("application/json", document.toString());
    } catch (IOException e) {
      throw new UncheckedIOException("no " + NAME + " in the jar", e);
    }
  }
}
