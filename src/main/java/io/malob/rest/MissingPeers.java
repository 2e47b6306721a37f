package io.malob.rest;

import io.malob.module.ClusterView;
import io.malob.module.IPeerService;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Names the live controllers of the cluster that this one does not reach: their part of the live
 * state is missing in an answer, or out of date.
 *
 * @param peers null if the controller has no such service; then nothing is named
 */
record MissingPeers(@Nullable IPeerService peers, Supplier<Optional<ClusterView>> cluster) {
  static final String HEADER = "Malob-Missing-Peers";

  /** The same resource, whose answers have the header if a controller is missing. */
  Resource on(Resource live) {
    return call -> {
      Reply reply = live.answer(call);
      String missing = missing();
      return missing.isEmpty() ? reply : reply.withHeader(HEADER, missing);
    };
  }

  private String missing() {
    IPeerService service = peers;
    Optional<ClusterView> view = service == null ? Optional.empty() : cluster.get();
    if (service == null || view.isEmpty()) {
      return "";
    }
    Set<String> reached = service.reached();
    return view.get().nodes().stream()
        .map(ClusterView.Member::name)
        .filter(name -> !name.equals(view.get().name()) && !reached.contains(name))
        .sorted()
        .collect(Collectors.joining(","));
  }
}
