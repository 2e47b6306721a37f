package io.malob.resource;

import com.google.common.base.Strings;
import io.malob.json.RejectedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CacheDirective;
import org.restlet.data.ChallengeRequest;
import org.restlet.data.ChallengeScheme;
import org.restlet.data.CharacterSet;
import org.restlet.data.Dimension;
import org.restlet.data.Encoding;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.data.Tag;
import org.restlet.representation.ByteArrayRepresentation;
import org.restlet.representation.OutputRepresentation;
import org.restlet.representation.Representation;

/**
 * Resources in Floodlight's REST server. Floodlight checks no permissions, so a GET that changes
 * something is refused.
 */
final class ResourceRestlet extends Restlet {
  private final ResourceRoutable resources;

  ResourceRestlet(@Nullable Context context, ResourceRoutable resources) {
    super(context);
    this.resources = resources;
  }

  @Override
  public void handle(Request request, Response response) {
    super.handle(request, response);
    Reply reply = replyTo(request);
    response.setStatus(Status.valueOf(reply.status()));
    @Nullable Representation entity = entity(reply);
    reply.headers().forEach((name, value) -> set(name, value, response, entity));
    response.setEntity(entity);
  }

  private Reply replyTo(Request request) {
    Call.Head head =
        Call.Head.at(
            request.getResourceRef().getHostIdentifier(),
            request.getMethod().getName(),
            request.getResourceRef().getPath(),
            Strings.nullToEmpty(request.getResourceRef().getQuery()),
            name -> Optional.ofNullable(request.getHeaders().getFirstValue(name, true)));
    String below = Strings.nullToEmpty(request.getResourceRef().getRemainingPart(false, false));
    return head.method().equals("GET") && resources.effectOf("GET", below) == Effect.WRITE
        ? resources.errors().reply(403, "this request needs permission to make changes")
        : resources.answer(head, below, maxBytes -> bytes(request.getEntity(), maxBytes));
  }

  private static byte[] bytes(@Nullable Representation entity, int maxBytes)
      throws IOException, RejectedException {
    if (entity == null || !entity.isAvailable()) {
      return new byte[0];
    }
    try (InputStream stream = entity.getStream()) {
      return stream == null ? new byte[0] : RequestBody.read(stream, maxBytes);
    }
  }

  private static @Nullable Representation entity(Reply reply) {
    if (reply.body() instanceof StreamedBody body) {
      return new StreamRepresentation(body);
    }
    Reply.Document document = reply.document();
    if (document.mediaType().isEmpty()) {
      return null;
    }
    Representation entity =
        new ByteArrayRepresentation(document.bytes(), MediaType.valueOf(document.mediaType()));
    entity.setCharacterSet(CharacterSet.UTF_8);
    return entity;
  }

  /** Restlet sets the headers that it knows by itself, from values of its own. */
  private static void set(
      String name, String value, Response response, @Nullable Representation entity) {
    switch (name) {
      case "Allow" -> {
        for (String method : value.split(", ", -1)) {
          response.getAllowedMethods().add(Method.valueOf(method));
        }
      }
      case "Cache-Control" -> response.setCacheDirectives(List.of(new CacheDirective(value)));
      case "Content-Encoding" -> {
        if (entity != null) {
          entity.getEncodings().add(Encoding.valueOf(value));
        }
      }
      case "ETag" -> {
        if (entity != null) {
          entity.setTag(Tag.parse(value));
        }
      }
      case "Location" -> response.setLocationRef(value);
      case "Vary" -> response.setDimensions(Set.of(Dimension.ENCODING));
      case "WWW-Authenticate" -> {
        int end = value.indexOf(' ');
        String scheme = value.substring(0, end);
        ChallengeRequest challenge =
            new ChallengeRequest(new ChallengeScheme("HTTP_" + scheme, scheme));
        challenge.setRawValue(value.substring(end + 1));
        response.getChallengeRequests().add(challenge);
      }
      default -> response.getHeaders().add(name, value);
    }
  }

  /** A streamed body. Only Restlet's server knows when its client has read it. */
  private static final class StreamRepresentation extends OutputRepresentation {
    private final StreamedBody body;

    StreamRepresentation(StreamedBody body) {
      super(MediaType.valueOf(body.mediaType()));
      this.body = body;
    }

    @Override
    public void write(OutputStream out) throws IOException {
      body.write(out);
    }

    @Override
    public void release() {
      body.close();
      super.release();
    }
  }
}
