package io.malob.controller.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.resource.Site;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.MediaType;
import org.restlet.data.Status;

/**
 * The root: browsers are sent to the page, and clients of OpenStack's API, which ask for JSON, get
 * its versions.
 */
final class FrontDoor extends Restlet {
  /** The paths of the versions of OpenStack's API. */
  static final ImmutableSet<String> VERSIONS = ImmutableSet.of("/v2.0", "/v2");

  private final String pagePath;
  private final Restlet versions;

  /**
   * The root of a server.
   *
   * @param pagePath where the page is
   * @param versions answers with the versions
   */
  FrontDoor(Context context, String pagePath, Restlet versions) {
    super(context);
    this.pagePath = pagePath;
    this.versions = versions;
  }

  @Override
  public void handle(Request request, Response response) {
    super.handle(request, response);
    if (asksForJson(request)) {
      versions.handle(request, response);
    } else {
      response.setLocationRef(Site.of(request) + pagePath);
      response.setStatus(Status.REDIRECTION_FOUND);
    }
  }

  /** Whether a path is one of OpenStack's API. */
  static boolean isOpenStacks(String path) {
    return VERSIONS.stream().anyMatch(base -> path.equals(base) || path.startsWith(base + "/"));
  }

  /** A browser accepts everything, HTML by name. */
  private static boolean asksForJson(Request request) {
    return accepts(request, MediaType.APPLICATION_JSON) && !accepts(request, MediaType.TEXT_HTML);
  }

  private static boolean accepts(Request request, MediaType type) {
    return request.getClientInfo().getAcceptedMediaTypes().stream()
        .anyMatch(accepted -> accepted.getMetadata().equals(type));
  }
}
