package io.malob.simulation.model;

import com.google.common.collect.Maps;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.simulation.model.LabNetwork.Host;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

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
    NetworkSnapshot idle = idle(network);
    int wider = 0;
    for (Host client : network.clients()) {
      for (Host server : network.servers()) {
        wider += isWider(idle, client, server) ? 1 : 0;
      }
    }
    return new Detours(network.clients().size() * network.servers().size(), wider);
  }

  private static NetworkSnapshot idle(LabNetwork network) {
    Map<DirectedLink, LinkValue> values =
        Maps.transformValues(
            network.links(),
            limits ->
                new LinkValue(
                    OptionalLong.of(limits.latencyNanos()),
                    OptionalDouble.of(limits.capacityBps()),
                    OptionalDouble.of(limits.capacityBps())));
    return new NetworkSnapshot(
        LinkValues.of(network.topology(), values, new LinkLoads(), Counting.MEASURED_ONLY));
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
