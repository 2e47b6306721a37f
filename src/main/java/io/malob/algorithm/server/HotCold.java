package io.malob.algorithm.server;

import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * The candidates of one choice, and the hot-cold lexicographic rule of Prequal (B. Wydrowski, R.
 * Kleinberg, S. Rumble, A. Archer: Load is not what you should balance, NSDI 2024): of the servers
 * that are not hot, the one with the shortest predicted time is chosen. There, a server is hot if
 * it has more requests in flight than a quantile of the candidates. Here, it must also be slower
 * than another quantile, because servers may differ in their number of processors without weights
 * that tell so. For one thread.
 *
 * <p>In small pools all servers are candidates, in others a random server of each of {@link
 * #MAX_CANDIDATES} parts of the pool, so that a choice costs the same in every pool. Instead of
 * probes, which a connection's protocol need not have, the durations of the service's connections
 * that have ended are the measurements ({@link Slowness}).
 */
public final class HotCold {
  /** The max number of candidates. */
  public static final int MAX_CANDIDATES = 16;

  /**
   * The quantile up to which servers are cold. A connection that waits for a congested link is in
   * flight at its server, too, so with half of the servers cold, links stay usable as well.
   */
  private static final double COLD = 0.5;

  /**
   * The connections by weight, the new one included, up to which a server is never hot. Where few
   * are open, the median says little, and a far server would be chosen instead of a near one.
   */
  private static final double NEVER_HOT = 2;

  private final int[] indexes;
  private final double[] connections;
  private final double[] slowness;
  private final double coldConnections;
  private final double coldResponse;

  /**
   * The candidates among servers, which are at least one.
   *
   * @param turn a number of the choice; the same gives the same candidates
   * @param service that of the connection; its measurements count
   */
  public HotCold(List<Server> servers, int turn, Counting counting, ServiceProfile service) {
    int count = Math.min(MAX_CANDIDATES, servers.size());
    this.indexes = new int[count];
    this.connections = new double[count];
    int first = Math.floorMod(turn, count);
    for (int i = 0; i < count; i++) {
      indexes[i] = drawn(servers.size(), turn, count, (first + i) % count);
      connections[i] = LeastConnections.perWeight(servers.get(indexes[i]), counting);
    }
    this.slowness = Slowness.of(servers, indexes, service);
    this.coldConnections = Math.max(NEVER_HOT, cold(connections.clone()));
    double[] responses = new double[count];
    Arrays.setAll(responses, this::response);
    this.coldResponse = cold(responses);
  }

  /** The value up to which servers are cold; sorts the values. */
  private static double cold(double[] values) {
    Arrays.sort(values);
    return values[(int) (COLD * (values.length - 1))];
  }

  /** A server of one part of the pool. */
  private static int drawn(int servers, int turn, int parts, int part) {
    int from = (int) ((long) part * servers / parts);
    int to = (int) ((long) (part + 1) * servers / parts);
    long hash = TurnHash.of((long) turn * parts + part);
    return from + (int) Long.remainderUnsigned(hash, to - from);
  }

  /** The number of candidates. */
  public int count() {
    return indexes.length;
  }

  /** The place of a candidate in the list of servers. */
  public int index(int candidate) {
    return indexes[candidate];
  }

  /** The candidate at a place in the list of servers; -1 if that server is none. */
  public int candidate(int index) {
    for (int i = 0; i < indexes.length; i++) {
      if (indexes[i] == index) {
        return i;
      }
    }
    return -1;
  }

  /** Its connections by its weight, a new one included. */
  public double connections(int candidate) {
    return connections[candidate];
  }

  /** Whether it has too many connections, and would respond late. */
  public boolean isHot(int candidate) {
    return connections[candidate] > coldConnections && response(candidate) > coldResponse;
  }

  /**
   * The time that it takes lately for each connection in flight and for its weight, relative to all
   * candidates.
   */
  public double slowness(int candidate) {
    return slowness[candidate];
  }

  /** Its expected response time to a new connection, relative to one alone at a usual server. */
  public double response(int candidate) {
    return slowness[candidate] * connections[candidate];
  }

  /**
   * The chosen candidate: the cold one with the shortest predicted time, of several the one with
   * the fewest connections; of hot ones alone, the one with the fewest. -1 if there is none.
   *
   * @param time the predicted time of a candidate; infinite if it cannot be chosen
   */
  public int choose(IntToDoubleFunction time) {
    int best = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < indexes.length; i++) {
      double predicted = isHot(i) ? Double.POSITIVE_INFINITY : time.applyAsDouble(i);
      boolean isTie = best >= 0 && predicted == least && connections[i] < connections[best];
      if (predicted < least || (isTie && predicted < Double.POSITIVE_INFINITY)) {
        best = i;
        least = predicted;
      }
    }
    return best >= 0 ? best : fewestConnections(time);
  }

  private int fewestConnections(IntToDoubleFunction time) {
    int best = -1;
    for (int i = 0; i < indexes.length; i++) {
      if (isHot(i)
          && (best < 0 || connections[i] < connections[best])
          && time.applyAsDouble(i) < Double.POSITIVE_INFINITY) {
        best = i;
      }
    }
    return best;
  }
}
