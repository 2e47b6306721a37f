package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The setting of a simulation.
 *
 * @param network the network, with its clients and servers
 * @param algorithm the rule that places requests
 * @param counting the values that the rule uses as the load of servers and links
 * @param intervalSeconds the duration of measurements; 0 without measurements: then the rules know
 *     the capacity of each link, and nothing of servers
 * @param processors of each server, in the network's order
 * @param weights of each server, in the network's order
 * @param antagonists what else uses servers and links
 */
public record Setting(
    LabNetwork network,
    Algorithm algorithm,
    Counting counting,
    double intervalSeconds,
    ImmutableList<Integer> processors,
    ImmutableList<Integer> weights,
    Antagonists antagonists) {

  /** The port of hosts; no link ends at it. */
  private static final int HOST_PORT = 65_000;

  /** Refuses servers without processors or weight. */
  public Setting {
    int servers = network.servers().size();
    if (processors.size() != servers || weights.size() != servers) {
      throw new IllegalArgumentException(
          "the network has " + servers + " servers: each needs processors and a weight");
    }
  }

  /** Servers and links that nothing else uses. */
  public Setting(
      LabNetwork network,
      Algorithm algorithm,
      Counting counting,
      double intervalSeconds,
      ImmutableList<Integer> processors,
      ImmutableList<Integer> weights) {
    this(network, algorithm, counting, intervalSeconds, processors, weights, Antagonists.NONE);
  }

  /** The servers, without connections and reports, numbered from 1 in the network's order. */
  ImmutableList<Server> servers() {
    return IntStream.range(0, weights.size())
        .mapToObj(i -> server(i + 1, network.servers().get(i), weights.get(i)))
        .collect(ImmutableList.toImmutableList());
  }

  private static Server server(int number, LabNetwork.Host host, int weight) {
    Attachment at = new Attachment(host.switchId(), OFPort.of(HOST_PORT), MacAddress.of(number));
    return new Server(number, host.address().getInt(), 0, weight, at, new ServerLoad());
  }

  /** The same with another algorithm. */
  public Setting with(Algorithm other) {
    return new Setting(network, other, counting, intervalSeconds, processors, weights, antagonists);
  }

  /** The same with another definition of load. */
  public Setting with(Counting other) {
    return new Setting(
        network, algorithm, other, intervalSeconds, processors, weights, antagonists);
  }
}
