package io.malob.rest.live;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CacheDirective;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.data.Tag;
import org.restlet.representation.ByteArrayRepresentation;
import org.restlet.representation.StringRepresentation;

/** Answers with the stream of events, or with the latest state or rates. */
final class LiveRestlet extends Restlet {
  private final LiveFeed feed;

  LiveRestlet(Context context, LiveFeed feed) {
    super(context);
    this.feed = feed;
  }

  @Override
  public void handle(Request request, Response response) {
    super.handle(request, response);
    if (!request.getMethod().equals(Method.GET)) {
      response.getAllowedMethods().add(Method.GET);
      refuse(response, Status.CLIENT_ERROR_METHOD_NOT_ALLOWED, "there is only GET here");
      return;
    }
    @Nullable String rest = request.getResourceRef().getRemainingPart(false, false);
    switch (rest == null ? "" : rest) {
      case "", "/" -> stream(response);
      case "/state" -> part(request, response, feed.current().state());
      case "/rates" -> part(request, response, feed.current().rates());
      default ->
          refuse(
              response,
              Status.CLIENT_ERROR_NOT_FOUND,
              "there is only /state and /rates below here");
    }
  }

  private void stream(Response response) {
    Optional<LiveFeed.Listener> listener = feed.join();
    if (listener.isEmpty()) {
      refuse(
          response,
          Status.SERVER_ERROR_SERVICE_UNAVAILABLE,
          "as many listen as can; ask for /state and /rates instead");
      return;
    }
    response.setCacheDirectives(List.of(CacheDirective.noStore()));
    response.setEntity(new EventStream(listener.get()));
  }

  /** What the client has already is not sent again. */
  private static void part(Request request, Response response, LiveFrames.Part part) {
    Tag tag = new Tag(part.tag());
    response.setCacheDirectives(List.of(CacheDirective.noCache()));
    ByteArrayRepresentation body =
        new ByteArrayRepresentation(part.json(), MediaType.APPLICATION_JSON);
    body.setCharacterSet(CharacterSet.UTF_8);
    body.setTag(tag);
    response.setEntity(body);
    if (request.getConditions().getNoneMatch().contains(tag)) {
      response.setStatus(Status.REDIRECTION_NOT_MODIFIED);
    }
  }

  private static void refuse(Response response, Status status, String sentence) {
    response.setStatus(status);
    response.setEntity(
        new StringRepresentation(
            "{\"error\":\"" + sentence + "\",\"field\":null}",
            MediaType.APPLICATION_JSON,
            null,
            CharacterSet.UTF_8));
  }
}
