package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.AddressText;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.network.Prefix;
import io.malob.state.network.StaticRoutes;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The routes to members behind routers. Safe for use by several threads. */
record RouteResources(IBalancerService balancer) {
  private static final ImmutableSet<String> FIELDS = ImmutableSet.of("destination", "next_hop");

  private StaticRoutes routes() {
    return balancer.routes();
  }

  /** All routes. */
  Reply list(Call call) {
    return Reply.ok(
        routes().all().entrySet().stream()
            .map(entry -> shown(entry.getKey(), entry.getValue()))
            .toList());
  }

  /** Adds the route to a destination that has none. */
  Reply create(Call call) throws IOException, RejectedException {
    JsonInput<RejectedException> fields = call.json().only(FIELDS);
    String text = text(fields.get("destination"));
    int slash = Math.max(0, text.indexOf('/'));
    Prefix destination =
        prefix(text.substring(0, slash), text.substring(Math.min(slash + 1, text.length())), text);
    IPAddress<?> nextHop = nextHop(fields, destination);
    // of two simultaneous requests the later one wins, like a PUT
    @Nullable IPAddress<?> now = routes().all().get(destination);
    if (now == null) {
      return Reply.created(set(destination, nextHop).body(), call, destination.toString());
    }
    if (!now.equals(nextHop)) {
      throw RejectedException.conflict(
          "destination", destination + " has the next hop " + now + " already; PUT changes it");
    }
    return Reply.ok(shown(destination, nextHop));
  }

  /** Shows the route to a destination. */
  Reply show(Call call) throws RejectedException {
    Prefix destination = prefix(call);
    return Reply.ok(shown(destination, found(destination, routes().all().get(destination))));
  }

  /** Sets the route to a destination. */
  Reply put(Call call) throws IOException, RejectedException {
    Prefix destination = prefix(call);
    JsonInput<RejectedException> fields = call.json().only(FIELDS);
    JsonInput<RejectedException> shown = fields.get("destination");
    if (shown.isThere() && !text(shown).equals(destination.toString())) {
      throw RejectedException.invalid("destination", "destination differs from the one in the URL");
    }
    return set(destination, nextHop(fields, destination));
  }

  private Reply set(Prefix destination, IPAddress<?> nextHop) throws RejectedException {
    try {
      Optional<IPAddress<?>> before = routes().set(destination, nextHop);
      Object body = shown(destination, nextHop);
      return before.isPresent() ? Reply.ok(body) : Reply.created(body);
    } catch (IllegalStateException e) {
      throw RejectedException.unprocessable(null, String.valueOf(e.getMessage()));
    }
  }

  /** Removes the route to a destination. */
  Reply delete(Call call) throws RejectedException {
    Prefix destination = prefix(call);
    return Reply.ok(
        shown(destination, found(destination, routes().remove(destination).orElse(null))));
  }

  private static IPAddress<?> found(Prefix destination, @Nullable IPAddress<?> nextHop)
      throws RejectedException {
    if (nextHop == null) {
      throw RejectedException.notFound("no route to " + destination + " is set");
    }
    return nextHop;
  }

  private static String text(JsonInput<RejectedException> value) throws RejectedException {
    return value.text().strip();
  }

  private static Prefix prefix(Call call) throws RejectedException {
    String address = call.variable("address");
    String length = call.variable("length");
    return prefix(address, length, address + "/" + length);
  }

  private static Prefix prefix(String address, String length, String text)
      throws RejectedException {
    return Prefix.parse(address, length)
        .orElseThrow(
            () ->
                ParameterFormat.refused(
                    "destination",
                    "a network such as 10.2.0.0/16 or 2001:db8:2::/48, without host bits",
                    text));
  }

  private IPAddress<?> nextHop(JsonInput<RejectedException> fields, Prefix destination)
      throws RejectedException {
    String text = text(fields.get("next_hop"));
    IPAddress<?> nextHop =
        AddressText.parse(text)
            .filter(address -> StaticRoutes.isPossible(destination, address))
            .orElseThrow(
                () ->
                    ParameterFormat.refused(
                        "next_hop", "the address of a router, of the destination's family", text));
    if (balancer.catalog().snapshot().isVipAddress(nextHop)
        || balancer.routing().self().contains(nextHop)) {
      throw RejectedException.conflict("next_hop", nextHop + " is an address of the balancer");
    }
    return nextHop;
  }

  private static Map<String, Object> shown(Prefix destination, IPAddress<?> nextHop) {
    return Json.fields("destination", destination.toString(), "next_hop", nextHop.toString());
  }
}
