package io.malob.metrics;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.jspecify.annotations.Nullable;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Preference;
import org.restlet.data.Status;
import org.restlet.representation.StringRepresentation;

/**
 * {@code GET /metrics}, in Prometheus's text format or, for who asks for it, OpenMetrics. Safe for
 * use by several threads.
 */
final class Scrape implements RestletRoutable {
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private final PrometheusMeterRegistry registry;

  Scrape(PrometheusMeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public String basePath() {
    return "/metrics";
  }

  @Override
  public Restlet getRestlet(Context context) {
    return new Restlet(context) {
      @Override
      public void handle(Request request, Response response) {
        super.handle(request, response);
        answer(request, response);
      }
    };
  }

  private void answer(Request request, Response response) {
    @Nullable String below = request.getResourceRef().getRemainingPart(false, false);
    if (below != null && !below.isEmpty() && !below.equals("/")) {
      response.setStatus(Status.CLIENT_ERROR_NOT_FOUND);
    } else if (!List.of(Method.GET, Method.HEAD).contains(request.getMethod())) {
      response.getAllowedMethods().add(Method.GET);
      response.setStatus(Status.CLIENT_ERROR_METHOD_NOT_ALLOWED);
    } else {
      String type = wantsOpenMetrics(request) ? OPEN_METRICS : TEXT;
      response.setEntity(
          new StringRepresentation(registry.scrape(type), MediaType.valueOf(type), null, null));
    }
  }

  private static boolean wantsOpenMetrics(Request request) {
    return request.getClientInfo().getAcceptedMediaTypes().stream()
        .map(Preference::getMetadata)
        .map(MediaType::getName)
        .anyMatch(name -> name.startsWith("application/openmetrics-text"));
  }
}
