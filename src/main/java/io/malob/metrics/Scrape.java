package io.malob.metrics;

import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.RouteTable;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * {@code GET /metrics}, in Prometheus's text format or, on request, OpenMetrics. Safe for use by
 * several threads.
 */
record Scrape(PrometheusMeterRegistry registry) {
  private static final String TEXT = "text/plain; version=0.0.4";
  private static final String OPEN_METRICS = "application/openmetrics-text";
  private static final String OPEN_METRICS_1 = OPEN_METRICS + "; version=1.0.0";

  static RouteTable routes(PrometheusMeterRegistry registry) {
    return RouteTable.ignoringParameters().get("", new Scrape(registry)::show);
  }

  private Reply show(Call call) {
    boolean isOpen = call.header("Accept").orElse("").contains(OPEN_METRICS);
    String type = isOpen ? OPEN_METRICS_1 : TEXT;
    return Reply.text(type, registry.scrape(type + "; charset=utf-8"));
  }
}
