package io.malob.controller.network.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Objects;
import java.util.function.Supplier;
import org.restlet.data.MediaType;
import org.restlet.representation.Representation;
import org.restlet.representation.StringRepresentation;
import org.restlet.resource.Get;
import org.restlet.resource.ResourceException;
import org.restlet.resource.ServerResource;

/** Shows, as JSON, what the router that leads here was given to show. Restlet makes it. */
public final class SnapshotResource extends ServerResource {
  static final String ANSWER = SnapshotResource.class.getName();

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The answer as of now. */
  @Get("json")
  public Representation show() {
    Supplier<?> answer =
        (Supplier<?>) Objects.requireNonNull(getContext().getAttributes().get(ANSWER));
    try {
      return new StringRepresentation(
          JSON.writeValueAsString(answer.get()), MediaType.APPLICATION_JSON);
    } catch (JsonProcessingException e) {
      throw new ResourceException(e);
    }
  }
}
