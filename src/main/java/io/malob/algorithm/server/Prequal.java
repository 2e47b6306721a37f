package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * PREQUAL without paths: of the servers that are not hot, the one with the shortest expected
 * response time; see {@link HotCold}. No order is kept, so the end of a connection costs nothing.
 */
public final class Prequal implements ServerPicker {
  private static final Reason REASON =
      new Reason(
          "shortest expected response of the candidates, except those above the medians of"
              + " connections per weight and of expected response",
          "fewest connections per weight");

  private final List<Server> servers;
  private final AtomicInteger turn;
  private final Counting counting;

  /** Chooses among these servers, from the given turn on. */
  public Prequal(List<Server> servers, AtomicInteger turn, Counting counting) {
    this.servers = List.copyOf(servers);
    this.turn = turn;
    this.counting = counting;
  }

  @Override
  public int pick(ServiceProfile service) {
    return chosen(turn.getAndIncrement(), service);
  }

  @Override
  public int next(ServiceProfile service) {
    return chosen(turn.get(), service);
  }

  private int chosen(int ofTurn, ServiceProfile service) {
    HotCold candidates = new HotCold(servers, ofTurn, counting, service);
    return candidates.index(candidates.choose(candidates::response));
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(int index, ServiceProfile service) {
    return values(new HotCold(servers, turn.get(), counting, service), index);
  }

  /** The values of a server for a choice among candidates; none if it is not a candidate. */
  public static ImmutableMap<String, Double> values(HotCold candidates, int index) {
    int candidate = candidates.candidate(index);
    return candidate < 0
        ? ImmutableMap.of()
        : ImmutableMap.of(
            "connections_per_weight", candidates.connections(candidate),
            "hot", candidates.isHot(candidate) ? 1.0 : 0.0,
            "slowness", candidates.slowness(candidate));
  }
}
