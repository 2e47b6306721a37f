package io.malob.controller.rest;

import io.malob.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.data.Status;
import org.restlet.representation.ByteArrayRepresentation;
import org.restlet.representation.Representation;
import org.restlet.resource.Resource;
import org.restlet.resource.ResourceException;
import org.restlet.service.StatusService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives every error that has no body of its own the body {@code {"error": sentence, "field":
 * null}}, and those of OpenStack's API the form that its clients read. Exceptions of resources are
 * logged and not shown to the client.
 */
final class JsonStatusService extends StatusService {
  private static final Logger logger = LoggerFactory.getLogger(JsonStatusService.class);

  @Override
  public Status toStatus(Throwable thrown, Resource resource) {
    return toStatus(thrown, resource.getRequest(), resource.getResponse());
  }

  @Override
  public Status toStatus(Throwable thrown, Request request, Response response) {
    Throwable cause = thrown.getCause();
    if (thrown instanceof ResourceException known && (cause == null || cause == known)) {
      return known.getStatus();
    }
    logger.warn(
        "request_failed method={} path=\"{}\"",
        request.getMethod(),
        request.getResourceRef().getPath(),
        thrown);
    return Status.SERVER_ERROR_INTERNAL;
  }

  @Override
  public Representation toRepresentation(
      Status status, @Nullable Request request, @Nullable Response response) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    String sentence = sentence(status, request);
    if (request != null && FrontDoor.isOpenStacks(request.getResourceRef().getPath())) {
      body.put("faultcode", status.isServerError() ? "Server" : "Client");
      body.put("faultstring", sentence);
      body.put("debuginfo", null);
    } else {
      body.put("error", sentence);
      body.put("field", null);
    }
    Representation entity =
        new ByteArrayRepresentation(Json.bytes(body), MediaType.APPLICATION_JSON);
    entity.setCharacterSet(CharacterSet.UTF_8);
    return entity;
  }

  private static String sentence(Status status, @Nullable Request request) {
    String path = request == null ? "" : request.getResourceRef().getPath();
    if (status.getCode() == Status.CLIENT_ERROR_NOT_FOUND.getCode()) {
      return "There is nothing at " + path;
    } else if (status.getCode() == Status.CLIENT_ERROR_METHOD_NOT_ALLOWED.getCode()) {
      return path + " does not allow " + (request == null ? "this" : request.getMethod().getName());
    } else if (status.isServerError()) {
      return "Internal error in the controller; see its log";
    }
    return status.getDescription() == null ? status.getReasonPhrase() : status.getDescription();
  }
}
