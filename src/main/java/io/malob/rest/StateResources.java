package io.malob.rest;

import io.malob.balancer.IBalancerService;
import io.malob.balancer.LinkStats;
import io.malob.balancer.PathStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;

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
          case "links" -> links();
          case "refusals" -> balancer.refusals();
          default ->
              throw new RefusedException(
                  404,
                  "there is nothing at /"
                      + String.join("/", path)
                      + " here, only paths, links, refusals",
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
    line.put(
        "switches",
        stats.path().switches().stream().map(DatapathId::toString).collect(Collectors.toList()));
    line.put("connections", stats.connections());
    line.put("active", stats.active());
    return line;
  }

  private List<Object> links() {
    return balancer.links().stream().map(StateResources::link).collect(Collectors.toList());
  }

  private static Object link(LinkStats stats) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("src-switch", stats.link().src().toString());
    line.put("src-port", stats.link().srcPort().getPortNumber());
    line.put("dst-switch", stats.link().dst().toString());
    line.put("dst-port", stats.link().dstPort().getPortNumber());
    line.put("active", stats.active());
    return line;
  }
}
