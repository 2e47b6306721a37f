package io.malob.rest;

import io.malob.endhost.IEndhostService;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.Routes;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A host's flows over its uplinks. Safe for use by several threads. */
final class EndhostResources {
  private static final int FLOWS_BY_DEFAULT = 100;
  private static final int MAX_FLOWS = 10_000;

  private final IEndhostService endhost;

  private EndhostResources(IEndhostService endhost) {
    this.endhost = endhost;
  }

  /** Adds the routes to a host's flows. */
  static Routes addTo(Routes routes, IEndhostService endhost) {
    EndhostResources resources = new EndhostResources(endhost);
    return routes
        .get("endhost", call -> Reply.ok(endhost.status()))
        .put("endhost", resources::configure)
        .delete("endhost", resources::clear)
        .put("endhost/algorithm", resources::setAlgorithm)
        .put("endhost/uplinks/{uplink}", resources::setCapacity)
        .get("endhost/flows", Set.of("limit"), resources::flows);
  }

  private Reply configure(Call call) throws IOException, RejectedException {
    return changed(endhost.configure(call.body().bytes()));
  }

  private Reply setAlgorithm(Call call) throws IOException, RejectedException {
    return changed(endhost.setAlgorithm(call.body().bytes()));
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
    Optional<String> limit = call.parameter("limit");
    return Reply.ok(
        endhost.flows(
            limit.isEmpty()
                ? FLOWS_BY_DEFAULT
                : (int) ParameterFormat.number("limit", limit.get(), 1, MAX_FLOWS)));
  }
}
