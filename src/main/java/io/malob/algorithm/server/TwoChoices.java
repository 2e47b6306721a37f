package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * P2C, for pools of thousands: of two servers drawn by weight, the server with fewer connections
 * for its weight; of two equals, the server drawn first (M. Mitzenmacher, The power of two choices
 * in randomized load balancing, 2001). No order is kept, so the end of a connection costs nothing.
 * A draw is a hash of the pool's turn: the same turns give the same servers.
 */
public final class TwoChoices implements ServerPicker {
  private static final Reason REASON =
      new Reason(
          "fewer connections per weight, of two servers drawn by weight", "the server drawn first");

  /** Twice the turn, and one, have no more bits than these. */
  private static final int DRAW_BITS = 34;

  /** The max number of repeated draws. */
  private static final int MAX_AGAIN = 64;

  private final List<Server> servers;
  private final AtomicInteger turn;
  private final Counting counting;

  /** By server: the sum of the weights up to and with its own. */
  private final long[] weightUpTo;

  /** Draws from these servers, from the given turn on. */
  public TwoChoices(List<Server> servers, AtomicInteger turn, Counting counting) {
    this.servers = List.copyOf(servers);
    this.turn = turn;
    this.counting = counting;
    this.weightUpTo = servers.stream().mapToLong(Server::weight).toArray();
    Arrays.parallelPrefix(weightUpTo, Long::sum);
  }

  @Override
  public int pick(ServiceProfile service) {
    return drawn(turn.getAndIncrement());
  }

  @Override
  public int next(ServiceProfile service) {
    return drawn(turn.get());
  }

  private int drawn(int ofTurn) {
    int first = draw(2L * ofTurn);
    int second = draw(2L * ofTurn + 1);
    return LeastConnections.compare(servers.get(second), servers.get(first), counting) < 0
        ? second
        : first;
  }

  /**
   * Draws a server. A server in slow start is drawn again with the probability of its missing
   * share.
   */
  private int draw(long number) {
    for (int again = 0; ; again++) {
      long hash = TurnHash.of(number + ((long) again << DRAW_BITS));
      int drawn = server(hash);
      if (again == MAX_AGAIN || TurnHash.isAmong(hash, servers.get(drawn).load().share())) {
        return drawn;
      }
    }
  }

  private int server(long hash) {
    long all = weightUpTo[weightUpTo.length - 1];
    int found = Arrays.binarySearch(weightUpTo, Long.remainderUnsigned(hash, all) + 1);
    return found >= 0 ? found : -found - 1;
  }

  @Override
  public Reason reason() {
    return REASON;
  }

  @Override
  public ImmutableMap<String, Double> values(int index, ServiceProfile service) {
    int ofTurn = turn.get();
    boolean drawn = draw(2L * ofTurn) == index || draw(2L * ofTurn + 1) == index;
    return ImmutableMap.of(
        "drawn",
        drawn ? 1.0 : 0.0,
        "connections_per_weight",
        LeastConnections.perWeight(servers.get(index), counting));
  }
}
