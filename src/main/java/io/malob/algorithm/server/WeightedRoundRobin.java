package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import com.google.common.math.IntMath;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * WRR: servers in turn, in proportion to their weights. Over one cycle the proportions are exact,
 * and the turns of a server are spread evenly over the cycle: the k-th turn of a server of weight w
 * is due at (k + 1/2) / w of the cycle, and turns come in the order in which they are due (earliest
 * due date first, as in stride scheduling). The cycle is laid out once, with one entry for each
 * unit of weight after division by the greatest common divisor.
 */
public final class WeightedRoundRobin implements ServerPicker {
  private static final Reason REASON =
      new Reason("the next in turn, in proportion to the weights", "none, as turns are exact");

  private final int[] cycle;
  private final AtomicInteger turn;
  private final Turns turns;

  /** Takes turns over these servers, from the given turn on. */
  public WeightedRoundRobin(List<Server> servers, AtomicInteger turn) {
    this.turn = turn;
    this.turns = new Turns(servers, turn, this::at);
    int divisor = servers.stream().mapToInt(Server::weight).reduce(0, IntMath::gcd);
    this.cycle =
        IntStream.range(0, servers.size())
            .boxed()
            .flatMap(index -> turnsOf(index, servers.get(index).weight() / divisor))
            .sorted(Comparator.comparingDouble(Turn::due).thenComparingInt(Turn::server))
            .mapToInt(Turn::server)
            .toArray();
  }

  private static Stream<Turn> turnsOf(int server, int weight) {
    return IntStream.range(0, weight).mapToObj(k -> new Turn((k + 0.5) / weight, server));
  }

  @Override
  public int pick(ServiceProfile service) {
    return turns.pick();
  }

  @Override
  public int next(ServiceProfile service) {
    return turns.next();
  }

  private int at(int place) {
    return cycle[Integer.remainderUnsigned(place, cycle.length)];
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(int index, ServiceProfile service) {
    int from = turn.get(); // once: others take turns meanwhile
    double until =
        IntStream.range(0, cycle.length)
            .filter(ahead -> at(from + ahead) == index)
            .findFirst()
            .orElseThrow();
    return ImmutableMap.of("turns_until", until);
  }

  private record Turn(double due, int server) {}
}
