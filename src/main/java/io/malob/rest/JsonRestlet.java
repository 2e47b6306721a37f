package io.malob.rest;

import com.google.common.io.ByteStreams;
import io.malob.json.Json;
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
import org.restlet.data.Tag;
import org.restlet.representation.Representation;
import org.restlet.representation.StringRepresentation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns HTTP requests into calls of the resources, and every outcome into JSON. */
final class JsonRestlet extends Restlet {
  /** Of a larger body so much is thrown away, as many clients do not hear before they have sent. */
  private static final int MAX_DISCARDED_BYTES = 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(JsonRestlet.class);

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
    reply.next().ifPresent(query -> response.getHeaders().add("Link", link(request, query)));
    if (reply.status() != Status.SUCCESS_NO_CONTENT.getCode()) {
      Representation entity = entity(reply.body());
      reply.tag().ifPresent(tag -> entity.setTag(Tag.parse(tag)));
      response.setEntity(entity);
    }
  }

  private static String link(Request request, String query) {
    return "<" + request.getResourceRef().getPath() + "?" + query + ">; rel=\"next\"";
  }

  private static Representation entity(Object body) {
    if (body instanceof Reply.Picture picture) {
      return text(picture.svg(), MediaType.IMAGE_SVG);
    } else if (body instanceof Reply.Text text) {
      return text(text.text(), MediaType.valueOf(text.mediaType()));
    }
    return text(Json.text(body), MediaType.APPLICATION_JSON);
  }

  private static Representation text(String text, MediaType type) {
    return new StringRepresentation(text, type, null, CharacterSet.UTF_8);
  }

  private Reply replyTo(Request request) {
    try {
      String method = request.getMethod().getName();
      return resources.answer(
          new Call(
              method.equals("HEAD") ? "GET" : method,
              segments(request.getResourceRef().getRemainingPart(false, false)),
              Optional.ofNullable(request.getResourceRef().getQuery()).orElse(""),
              name -> Optional.ofNullable(request.getHeaders().getFirstValue(name, true)),
              mostBytes -> bytes(request.getEntity(), mostBytes)));
    } catch (RefusedException e) {
      return e.reply();
    } catch (IOException e) {
      log.info("request_body_unreadable why=\"{}\"", e.toString());
      return new RefusedException(400, "the body could not be read", null).reply();
    } catch (RuntimeException e) {
      log.error(
          "request_failed method={} uri=\"{}\"", request.getMethod(), request.getResourceRef(), e);
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

  private static byte[] bytes(@Nullable Representation entity, int mostBytes)
      throws IOException, RefusedException {
    if (entity == null || !entity.isAvailable()) {
      return new byte[0];
    }
    try (InputStream stream = entity.getStream()) {
      if (stream == null) {
        return new byte[0];
      }
      byte[] bytes = stream.readNBytes(mostBytes + 1);
      if (bytes.length > mostBytes) {
        ByteStreams.exhaust(ByteStreams.limit(stream, MAX_DISCARDED_BYTES));
        throw new RefusedException(413, "the body has more than " + mostBytes + " bytes", null);
      }
      return bytes;
    }
  }
}
