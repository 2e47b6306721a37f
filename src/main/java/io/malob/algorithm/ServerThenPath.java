package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
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
final class ServerThenPath implements Placer {
  private final ImmutableList<Server> servers;
  private final ServerPicker serverPicker;
  private final PathPicker pathPicker;

  ServerThenPath(ImmutableList<Server> servers, ServerPicker serverPicker, PathPicker pathPicker) {
    this.servers = servers;
    this.serverPicker = serverPicker;
    this.pathPicker = pathPicker;
  }

  @Override
  public Result place(Request request, NetworkSnapshot network) {
    if (servers.isEmpty()) {
      return Refusal.NO_SERVER;
    }
    Refusal refusal = Refusal.NOT_ACCEPTABLE;
    int picked = serverPicker.pick();
    for (int tried = 0; tried < servers.size(); tried++) {
      Server server = servers.get((picked + tried) % servers.size());
      if (!request.acceptable().test(server)) {
        continue;
      }
      if (placeOn(server, request.clientSwitch(), network) instanceof Placement placement) {
        return placement;
      }
      refusal = Refusal.NO_ROUTE;
    }
    return refusal;
  }

  @Override
  public Result placeOn(Server server, DatapathId clientSwitch, NetworkSnapshot network) {
    DatapathId serverSwitch = server.at().switchId();
    Optional<Path> there = pathPicker.pick(network, clientSwitch, serverSwitch);
    Optional<Path> back = pathPicker.pick(network, serverSwitch, clientSwitch);
    return there.isPresent() && back.isPresent()
        ? new Placement(server, there.get(), back.get())
        : Refusal.NO_ROUTE;
  }

  @Override
  public void loadChanged(Server server) {
    serverPicker.loadChanged(server);
  }
}
