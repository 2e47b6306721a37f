package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.Comparator;
import java.util.List;

/**
 * CPU of the thesis (section 3.3.3): the server with the lowest CPU utilization. The reported value
 * grows with each connection placed since, by the observed utilization per connection (see {@link
 * io.malob.algorithm.ServerLoad#expectedCpu}). Of several within one percent, the server with the
 * fewest connections for its weight, then the server picked longest ago.
 *
 * <p>A server of unknown utilization counts as fully used: it is chosen if all others are fully
 * used, too. If none is known, this is LC.
 */
public final class LeastCpu implements ServerPicker {
  private static final Reason REASON =
      new Reason(
          "lowest CPU utilization, including connections placed since the last report",
          "within 1 %: fewest connections per weight, then picked longest ago");

  private final Counting counting;
  private final LeastLoaded least;

  public LeastCpu(List<Server> servers, Counting counting) {
    this.counting = counting;
    Comparator<Server> byPercent = Comparator.comparingInt(server -> percent(server, counting));
    this.least =
        new LeastLoaded(
            servers, byPercent.thenComparing((a, b) -> LeastConnections.compare(a, b, counting)));
  }

  private static int percent(Server server, Counting counting) {
    // the utilization of a server in slow start counts more, in proportion to its missing share
    return (int) (100 * server.load().expectedCpu(counting) / server.load().share());
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
    Server server = least.server(index);
    return ImmutableMap.of(
        "expected_cpu", server.load().expectedCpu(counting),
        "connections_per_weight", LeastConnections.perWeight(server, counting));
  }
}
