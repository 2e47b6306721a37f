package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.List;

/**
 * LC of the thesis (section 3.3.2): the server with the fewest connections for its weight,
 * including the new one and the known connections outside VIPs; of several, the server picked
 * longest ago.
 */
public final class LeastConnections implements ServerPicker {
  private static final Reason REASON =
      new Reason("fewest connections per weight, the new one included", "picked longest ago");

  private final Counting counting;
  private final LeastLoaded least;

  public LeastConnections(List<Server> servers, Counting counting) {
    this.counting = counting;
    this.least = new LeastLoaded(servers, (a, b) -> compare(a, b, counting));
  }

  /** Which of two servers has fewer connections for its weight, one more included. */
  static int compare(Server a, Server b, Counting counting) {
    return Double.compare(
        (a.load().present(counting) + 1) * b.weightNow(),
        (b.load().present(counting) + 1) * a.weightNow());
  }

  @Override
  public int pick(ServiceProfile service) {
    return least.pick();
  }

  @Override
  public int next(ServiceProfile service) {
    return least.next();
  }

  @Override
  public void loadChanged(Server server) {
    least.loadChanged(server);
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(int index, ServiceProfile service) {
    return ImmutableMap.of("connections_per_weight", perWeight(least.server(index), counting));
  }

  /** The connections of a server by its weight, a new one included. */
  public static double perWeight(Server server, Counting counting) {
    return (server.load().present(counting) + 1.0) / server.weightNow();
  }
}
