package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.path.PathPicker;
import io.malob.algorithm.server.ServerPicker;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Chooses the server by one rule, then the paths to and from it by another: the nine combinations
 * of Table 4.1 of the thesis. If the server that the rule picks cannot take the connection, those
 * behind it in the list are tried in turn.
 */
record ServerThenPath(
    ImmutableList<Server> servers, ServerPicker serverPicker, PathPicker pathPicker)
    implements Placer {

  @Override
  public Result place(Request request, NetworkSnapshot network) {
    return servers.isEmpty()
        ? Refusal.NO_SERVER
        : placeFrom(serverPicker.pick(request.profile()), servers, request, network);
  }

  @Override
  public Result placeOn(Server server, Request request, NetworkSnapshot network) {
    DatapathId serverSwitch = server.at().switchId();
    Optional<Path> there = pathPicker.pick(network, request.clientSwitch(), serverSwitch);
    Optional<Path> back = pathPicker.pick(network, serverSwitch, request.clientSwitch());
    return there.isPresent() && back.isPresent()
        ? new Placement(server, there.get(), back.get())
        : Refusal.NO_ROUTE;
  }

  @Override
  public void loadChanged(Server server) {
    serverPicker.loadChanged(server);
  }

  @Override
  public Explanation explain(Request request, NetworkSnapshot realNetwork) {
    NetworkSnapshot network = realNetwork.trial();
    // in the order of a request: the search for paths to other servers may start then
    Result result =
        servers.isEmpty()
            ? Refusal.NO_SERVER
            : placeFrom(serverPicker.next(request.profile()), servers, request, network);
    ImmutableList.Builder<Explanation.Candidate> candidates = ImmutableList.builder();
    for (int index = 0; index < servers.size(); index++) {
      Server server = servers.get(index);
      Optional<Placement> reached = reached(server, result, request, network);
      ImmutableMap.Builder<String, Double> values = ImmutableMap.builder();
      values.putAll(serverPicker.values(index, request.profile()));
      reached.ifPresent(placement -> values.putAll(pathValues(placement, network)));
      candidates.add(
          new Explanation.Candidate(
              server,
              reached.map(found -> new Explanation.Paths(found.requestPath(), found.replyPath())),
              values.build(),
              request.acceptable().test(server)));
    }
    return new Explanation(result, serverPicker.reason(), pathPicker.reason(), candidates.build());
  }

  private Optional<Placement> reached(
      Server server, Result result, Request request, NetworkSnapshot network) {
    if (result instanceof Placement chosen && chosen.server().equals(server)) {
      return Optional.of(chosen);
    }
    return placeOn(server, request, network) instanceof Placement placement
        ? Optional.of(placement)
        : Optional.empty();
  }

  private static ImmutableMap<String, Double> pathValues(
      Placement placement, NetworkSnapshot network) {
    Path there = placement.requestPath();
    Path back = placement.replyPath();
    return ImmutableMap.of(
        "round_trip_ms",
            (network.values().latencyNanos(there) + network.values().latencyNanos(back)) / 1e6,
        "bottleneck_mbps", network.values().shareBps(back) / 1e6,
        "links", (double) there.hops() + back.hops());
  }
}
