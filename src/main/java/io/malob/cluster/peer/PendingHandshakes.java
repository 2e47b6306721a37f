package io.malob.cluster.peer;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The connections whose other side has not proved yet that it belongs to the cluster. They are
 * bounded, as anyone can open them. A further one pushes out an earlier one: of addresses that are
 * not other controllers', of the address with the most, that says nothing; of equal ones, the
 * oldest. Thread-safe.
 */
final class PendingHandshakes {
  /** The max number of connections without a proof. */
  private static final int MAX = 32;

  private final Deque<Pending> pending = new ArrayDeque<>();

  private record Pending(PeerChannel connection, String host, boolean isOfPeer) {}

  /**
   * Adds a connection.
   *
   * @param host where it comes from
   * @param isOfPeer whether another controller of the cluster is there
   */
  synchronized void add(PeerChannel connection, String host, boolean isOfPeer) {
    pending.removeIf(each -> !each.connection.isPending());
    if (pending.size() >= MAX) {
      Pending victim = victim();
      pending.remove(victim);
      victim.connection.close("too many connections have not proved yet that they are controllers");
    }
    pending.add(new Pending(connection, host, isOfPeer));
  }

  private Pending victim() {
    Map<String, Long> counts =
        pending.stream().collect(Collectors.groupingBy(Pending::host, Collectors.counting()));
    Function<Pending, Long> ofHost = each -> counts.getOrDefault(each.host, 0L);
    return pending.stream()
        .min(
            Comparator.comparing(Pending::isOfPeer)
                .thenComparing(ofHost, Comparator.reverseOrder())
                .thenComparing(each -> each.connection.hasSaidHello()))
        .orElseThrow();
  }
}
