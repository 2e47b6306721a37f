package io.malob.resource;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.ByteStreams;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CacheDirective;
import org.restlet.data.ChallengeRequest;
import org.restlet.data.ChallengeScheme;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.data.Tag;
import org.restlet.representation.ByteArrayRepresentation;
import org.restlet.representation.Representation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns HTTP requests into calls of the resources, and every outcome into a response. */
final class ResourceRestlet extends Restlet {
  /**
   * The part of a larger body that is discarded, because many clients do not read before they have
   * sent.
   */
  private static final int MAX_DISCARDED_BYTES = 1024 * 1024;

  /** The signatures of agents' reports. */
  private static final ChallengeScheme SIGNED =
      new ChallengeScheme("HTTP_MALOB_REPORT", "MALOB-Report");

  private static final Logger log = LoggerFactory.getLogger(ResourceRestlet.class);

  private final Routes routes;
  private final ErrorBody errors;

  ResourceRestlet(@Nullable Context context, Routes routes, ErrorBody errors) {
    super(context);
    this.routes = routes;
    this.errors = errors;
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
    reply.headers().forEach(response.getHeaders()::add);
    reply.location().ifPresent(path -> response.setLocationRef(Site.of(request) + path));
    if (reply.status() == Status.CLIENT_ERROR_UNAUTHORIZED.getCode()) {
      response.getChallengeRequests().add(signature());
    }
    switch (reply.caching()) {
      case REVALIDATE -> response.setCacheDirectives(List.of(CacheDirective.noCache()));
      case NEVER -> response.setCacheDirectives(List.of(CacheDirective.noStore()));
      case UNSAID -> {}
    }
    if (reply.status() != Status.SUCCESS_NO_CONTENT.getCode()) {
      Representation entity = entity(reply.body());
      reply.tag().ifPresent(tag -> entity.setTag(Tag.parse(tag)));
      response.setEntity(entity);
      if (reply.caching() == Reply.Caching.REVALIDATE
          && request.getConditions().getNoneMatch().contains(entity.getTag())) {
        response.setStatus(Status.REDIRECTION_NOT_MODIFIED);
      }
    }
  }

  /** Requests are only refused here for their signatures: permissions are the server's business. */
  private static ChallengeRequest signature() {
    ChallengeRequest challenge = new ChallengeRequest(SIGNED);
    challenge.setRawValue("realm=\"agents\"");
    return challenge;
  }

  private static String link(Request request, String query) {
    return "<" + request.getResourceRef().getPath() + "?" + query + ">; rel=\"next\"";
  }

  private static Representation entity(Object body) {
    if (body instanceof Representation stream) {
      return stream;
    } else if (body instanceof Reply.Document document) {
      return utf8(document.bytes(), MediaType.valueOf(document.mediaType()));
    }
    return utf8(Json.bytes(body), MediaType.APPLICATION_JSON);
  }

  private static Representation utf8(byte[] bytes, MediaType type) {
    Representation entity = new ByteArrayRepresentation(bytes, type);
    entity.setCharacterSet(CharacterSet.UTF_8);
    return entity;
  }

  private Reply replyTo(Request request) {
    try {
      return answer(request);
    } catch (RejectedException e) {
      return reply(e);
    } catch (IOException e) {
      log.info("request_body_unreadable why=\"{}\"", e.toString());
      return reply(RejectedException.invalid(null, "the body could not be read"));
    } catch (RuntimeException e) {
      log.error(
          "request_failed method={} uri=\"{}\"", request.getMethod(), request.getResourceRef(), e);
      return reply(
          new RejectedException(
              Reason.FAILED, "internal error in the controller; see its log", null));
    }
  }

  private Reply reply(RejectedException e) {
    return Reply.of(e, errors.of(e));
  }

  private Reply answer(Request request) throws IOException, RejectedException {
    Call call =
        new Call(
            request.getMethod().getName(),
            Site.of(request),
            request.getResourceRef().getPath(),
            segments(request.getResourceRef().getRemainingPart(false, false)),
            ImmutableMap.of(),
            routes.parameters(Strings.nullToEmpty(request.getResourceRef().getQuery())),
            name -> Optional.ofNullable(request.getHeaders().getFirstValue(name, true)),
            maxBytes -> bytes(request.getEntity(), maxBytes));
    // the server's own permission check also depends on the path: both must agree
    if (call.method().equals("GET")
        && routes.effectOf("GET", call.path()) == Effect.WRITE
        && !Effect.WRITE.isGrantedTo(request.getAttributes())) {
      throw new RejectedException(
          Reason.FORBIDDEN, "this request needs permission to make changes", null);
    }
    return routes.answer(call);
  }

  private static ImmutableList<String> segments(@Nullable String path) throws RejectedException {
    String rest = Strings.nullToEmpty(path);
    if (rest.isEmpty() || rest.equals("/")) {
      return ImmutableList.of();
    } else if (!rest.startsWith("/")) {
      throw RejectedException.notFound("there is nothing at this path");
    }
    ImmutableList.Builder<String> segments = ImmutableList.builder();
    int end = rest.endsWith("/") ? rest.length() - 1 : rest.length();
    for (String segment : rest.substring(1, end).split("/", -1)) {
      segments.add(QueryParameters.decoded(segment));
    }
    return segments.build();
  }

  private static byte[] bytes(@Nullable Representation entity, int maxBytes)
      throws IOException, RejectedException {
    if (entity == null || !entity.isAvailable()) {
      return new byte[0];
    }
    try (InputStream stream = entity.getStream()) {
      if (stream == null) {
        return new byte[0];
      }
      byte[] bytes = stream.readNBytes(maxBytes + 1);
      if (bytes.length > maxBytes) {
        ByteStreams.exhaust(ByteStreams.limit(stream, MAX_DISCARDED_BYTES));
        throw new RejectedException(
            Reason.TOO_LARGE, "the body has more than " + maxBytes + " bytes", null);
      }
      return bytes;
    }
  }
}
