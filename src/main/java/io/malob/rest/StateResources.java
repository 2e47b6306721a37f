package io.malob.rest;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.IBalancerService;
import io.malob.balancer.PathStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Shows what the balancer does: the paths that it uses, and what it refused. */
final class StateResources implements Resources {
  private final IBalancerService balancer;

  StateResources(IBalancerService balancer) {
    this.balancer = balancer;
  }

  @Override
  public Reply answer(String method, List<String> path, RequestBody body) throws RefusedException {
    Object answer =
        switch (String.join("/", path)) {
          case "paths" -> paths();
          case "refusals" -> balancer.refusals();
          default ->
              throw new RefusedException(
                  404,
                  "there is nothing at /" + String.join("/", path) + " here, only paths, refusals",
                  null);
        };
    if (!method.equals("GET")) {
      throw RefusedException.method(method, "GET");
    }
    return Reply.ok(answer);
  }

  private List<Object> paths() {
    return balancer.paths().stream().map(StateResources::path).collect(Collectors.toList());
  }

  private static Object path(PathStats stats) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("label", stats.label().toString());
    line.put("switches", switches(stats.path()));
    line.put("connections", stats.connections());
    return line;
  }

  private static List<String> switches(Path path) {
    List<String> switches = new ArrayList<>();
    switches.add(path.src().toString());
    for (DirectedLink link : path.links()) {
      switches.add(link.dst().toString());
    }
    return switches;
  }
}
