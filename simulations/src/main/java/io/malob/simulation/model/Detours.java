package io.malob.simulation.model;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.simulation.model.LabNetwork.Host;

/**
 * The advantage of the widest path over the path with the fewest links in an idle network.
 *
 * @param pairs of a client and a server
 * @param wider how many of them have a wider path from server to client than the one with the
 *     fewest links
 */
public record Detours(int pairs, int wider) {

  /** Those of a network. */
  public static Detours of(LabNetwork network) {
    NetworkSnapshot idle = network.idle();
    int wider = 0;
    for (Host client : network.clients()) {
      for (Host server : network.servers()) {
        wider += isWider(idle, client, server) ? 1 : 0;
      }
    }
    return new Detours(network.clients().size() * network.servers().size(), wider);
  }

  private static boolean isWider(NetworkSnapshot idle, Host client, Host server) {
    double widest =
        idle.widest(server.switchId(), client.switchId()).map(idle.values()::shareBps).orElse(0.0);
    double shortest =
        idle.fewestHops(server.switchId(), client.switchId())
            .map(idle.values()::shareBps)
            .orElse(0.0);
    return widest > shortest;
  }
}
