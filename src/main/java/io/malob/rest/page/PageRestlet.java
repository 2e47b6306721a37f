package io.malob.rest.page;

import io.malob.resource.Site;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CacheDirective;
import org.restlet.data.CharacterSet;
import org.restlet.data.Dimension;
import org.restlet.data.Encoding;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.data.Tag;
import org.restlet.representation.ByteArrayRepresentation;
import org.restlet.representation.Representation;
import org.restlet.representation.StringRepresentation;
import org.restlet.util.Series;

/**
 * Serves the files of the page. Browsers cache them and revalidate each time; a file is read once.
 * Safe for use by several threads.
 */
final class PageRestlet extends Restlet {
  /**
   * The browser loads and runs only the page's own files, sends requests only to the page's own
   * controller, and lets no other page frame it.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final ConcurrentMap<String, PageFile> files = new ConcurrentHashMap<>();

  PageRestlet(Context context) {
    super(context);
  }

  @Override
  public void handle(Request request, Response response) {
    super.handle(request, response);
    protect(response.getHeaders());
    if (!request.getMethod().equals(Method.GET) && !request.getMethod().equals(Method.HEAD)) {
      response.getAllowedMethods().addAll(List.of(Method.GET, Method.HEAD));
      refuse(
          response, Status.CLIENT_ERROR_METHOD_NOT_ALLOWED, "The page accepts only GET and HEAD.");
      return;
    }
    @Nullable String rest = request.getResourceRef().getRemainingPart(false, false);
    if (rest == null || rest.isEmpty()) {
      // names in the page are relative to the folder
      response.redirectPermanent(Site.of(request) + Page.PATH + "/");
      return;
    }
    String name = rest.equals("/") ? "index.html" : rest.substring(1);
    Optional<PageFile> file = file(name);
    if (file.isEmpty()) {
      refuse(response, Status.CLIENT_ERROR_NOT_FOUND, "There is no such file. The page is at /ui/");
    } else {
      send(request, response, file.get());
    }
  }

  private Optional<PageFile> file(String name) {
    @Nullable PageFile known = files.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<PageFile> read = PageFile.read(name);
    read.ifPresent(file -> files.put(name, file));
    return read;
  }

  private static void protect(Series<?> headers) {
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
  }

  private static void send(Request request, Response response, PageFile file) {
    boolean isZipped = takesGzip(request);
    Representation body =
        new ByteArrayRepresentation(isZipped ? file.gzipped() : file.bytes(), file.type());
    if (isZipped) {
      body.getEncodings().add(Encoding.GZIP);
    }
    Tag tag = new Tag(file.tag() + (isZipped ? "-gzip" : ""));
    body.setCharacterSet(CharacterSet.UTF_8);
    body.setTag(tag);
    response.setDimensions(Set.of(Dimension.ENCODING));
    response.setCacheDirectives(List.of(CacheDirective.noCache()));
    response.setEntity(body);
    if (request.getConditions().getNoneMatch().contains(tag)) {
      response.setStatus(Status.REDIRECTION_NOT_MODIFIED);
    }
  }

  private static boolean takesGzip(Request request) {
    return request.getClientInfo().getAcceptedEncodings().stream()
        .anyMatch(
            accepted -> accepted.getMetadata().equals(Encoding.GZIP) && accepted.getQuality() > 0);
  }

  private static void refuse(Response response, Status status, String sentence) {
    response.setStatus(status);
    response.setEntity(
        new StringRepresentation(sentence, MediaType.TEXT_PLAIN, null, CharacterSet.UTF_8));
  }
}
