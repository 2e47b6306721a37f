package io.malob.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.io.ByteStreams;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.representation.Representation;
import org.restlet.representation.StringRepresentation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns HTTP requests into calls of the resources, and every outcome into JSON. */
final class JsonRestlet extends Restlet {
  /** The largest body that is read. */
  static final int MAX_BODY_BYTES = 64 * 1024;

  /** Of a larger body so much is thrown away, as many clients do not hear before they have sent. */
  private static final int MAX_DISCARDED_BYTES = 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(JsonRestlet.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Resources resources;

  JsonRestlet(Context context, Resources resources) {
    super(context);
    this.resources = resources;
  }

  @Override
  public void handle(Request request, Response response) {
    super.handle(request, response);
    Reply reply = replyTo(request);
    for (String method : reply.allowed()) {
      response.getAllowedMethods().add(Method.valueOf(method));
    }
    response.setStatus(Status.valueOf(reply.status()));
    if (reply.status() != Status.SUCCESS_NO_CONTENT.getCode()) {
      response.setEntity(
          reply.body() instanceof Reply.Picture picture
              ? new StringRepresentation(
                  picture.svg(), MediaType.IMAGE_SVG, null, CharacterSet.UTF_8)
              : json(reply.body()));
    }
  }

  private Reply replyTo(Request request) {
    try {
      String method = request.getMethod().getName();
      return resources.answer(
          method.equals("HEAD") ? "GET" : method,
          segments(request.getResourceRef().getRemainingPart(false, false)),
          Optional.ofNullable(request.getResourceRef().getQuery()).orElse(""),
          () -> bytes(request.getEntity()));
    } catch (RefusedException e) {
      return e.reply();
    } catch (IOException e) {
      log.info("The body of a request could not be read: {}", e.toString());
      return new RefusedException(400, "the body could not be read", null).reply();
    } catch (RuntimeException e) {
      log.error("{} {} failed", request.getMethod(), request.getResourceRef(), e);
      return new RefusedException(500, "the controller failed; its log says why", null).reply();
    }
  }

  private static List<String> segments(@Nullable String path) throws RefusedException {
    List<String> segments = new ArrayList<>();
    if (path == null) {
      return segments;
    }
    int end = path.endsWith("/") ? path.length() - 1 : path.length();
    if (end <= 0) {
      return segments;
    }
    for (String segment : path.substring(path.startsWith("/") ? 1 : 0, end).split("/", -1)) {
      try {
        segments.add(URLDecoder.decode(segment, StandardCharsets.UTF_8));
      } catch (IllegalArgumentException e) {
        throw new RefusedException(400, "the URL is not well encoded", null);
      }
    }
    return segments;
  }

  private static byte[] bytes(@Nullable Representation entity)
      throws IOException, RefusedException {
    if (entity == null || !entity.isAvailable()) {
      return new byte[0];
    }
    try (InputStream stream = entity.getStream()) {
      if (stream == null) {
        return new byte[0];
      }
      byte[] bytes = stream.readNBytes(MAX_BODY_BYTES + 1);
      if (bytes.length > MAX_BODY_BYTES) {
        ByteStreams.exhaust(ByteStreams.limit(stream, MAX_DISCARDED_BYTES));
        throw new RefusedException(
            413, "the body has more than " + MAX_BODY_BYTES + " bytes", null);
      }
      return bytes;
    }
  }

  private static Representation json(Object body) {
    try {
      return new StringRepresentation(
          JSON.writeValueAsString(body), MediaType.APPLICATION_JSON, null, CharacterSet.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not a JSON value: " + body, e);
    }
  }
}
