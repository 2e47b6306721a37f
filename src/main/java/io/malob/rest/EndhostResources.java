package io.malob.rest;

import io.malob.endhost.IEndhostService;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.RouteTable;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A host's flows over its uplinks. Safe for use by several threads. */
record EndhostResources(IEndhostService endhost) {
  private static final int FLOWS_BY_DEFAULT = 100;
  private static final int MAX_FLOWS = 10_000;

  /** Adds the routes to a host's flows. */
  static RouteTable addTo(RouteTable routes, IEndhostService endhost) {
    EndhostResources resources = new EndhostResources(endhost);
    return routes
        .get("endhost", call -> Reply.ok(endhost.status()))
        .put("endhost", call -> resources.changed(endhost.configure(call.body().bytes())))
        .delete("endhost", resources::clear)
        .put(
            "endhost/algorithm",
            call -> resources.changed(endhost.setAlgorithm(call.body().bytes())))
        .put("endhost/uplinks/{uplink}", resources::setCapacity)
        .get("endhost/flows", Set.of("limit"), resources::flows);
  }

  private Reply setCapacity(Call call) throws IOException, RejectedException {
    return changed(endhost.setCapacity(call.variable("uplink"), call.body().bytes()));
  }

  private Reply clear(Call call) throws RejectedException {
    if (!endhost.clear()) {
      throw RejectedException.notFound("no network of a host is configured");
    }
    return changed(endhost.status());
  }

  /** The answer to a change: it may take longer than its request waits. */
  private Reply changed(Map<String, @Nullable Object> status) {
    return endhost.isInForce() ? Reply.ok(status) : Reply.pending(status);
  }

  private Reply flows(Call call) throws RejectedException {
    return Reply.ok(
        endhost.flows(
            ParameterFormat.number(call.parameters(), "limit", 1, MAX_FLOWS, FLOWS_BY_DEFAULT)));
  }
}
