package io.malob.controller.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.representation.Representation;
import org.restlet.representation.StringRepresentation;

/** Makes JSON bodies. Safe for use by several threads. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** The body that shows this value: a record, a map, a list. */
  static Representation of(Object value) {
    try {
      StringRepresentation body =
          new StringRepresentation(MAPPER.writeValueAsString(value), MediaType.APPLICATION_JSON);
      body.setCharacterSet(CharacterSet.UTF_8);
      return body;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no JSON for " + value.getClass().getName(), e);
    }
  }
}
