package io.malob.balancer.admission;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.Effects;
import io.malob.balancer.view.BalancerView;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Finds connections that go on after their clients have sent FIN or RST: these have closed one
 * direction only, or the member has ignored the segment because of its sequence number. Such a
 * connection does not count any more, but its rules do not time out. It then counts again until
 * they do. For an hour, the controller ignores further FINs and RSTs of the same client.
 *
 * <p>{@link #mayBeFalse} may be called by the threads that read from switches. The rest is for one
 * thread at a time.
 */
public final class FalseEnds {
  /** How much later than they should switches may report the end of rules. */
  static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final int DISBELIEF_SECONDS = 3_600;

  /** A power of two. */
  private static final int SLOTS = 4_096;

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionLimiter connectionLimiter;
  private final ConnectionRuleSender ruleSender;
  private final Predicate<DatapathId> reportsEnds;
  private final LongSupplier nanoTime;

  /**
   * Clients, in the upper halves, and until which second their ends are ignored, in the lower ones.
   * A later client may take over the slot of an earlier one.
   */
  private final AtomicLongArray clients = new AtomicLongArray(SLOTS);

  /**
   * Finds none yet.
   *
   * @param reportsEnds whether a switch has been connected for long enough to have reported the end
   *     of all rules that have timed out
   */
  public FalseEnds(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionLimiter connectionLimiter,
      ConnectionRuleSender ruleSender,
      Predicate<DatapathId> reportsEnds,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.connectionLimiter = connectionLimiter;
    this.ruleSender = ruleSender;
    this.reportsEnds = reportsEnds;
    this.nanoTime = nanoTime;
  }

  /** Whether a connection of this client has gone on after FIN or RST within the last hour. */
  public boolean mayBeFalse(int client) {
    long slot = clients.get(slotOf(client));
    return (int) (slot >>> Integer.SIZE) == client && (int) slot - second() > 0;
  }

  private int second() {
    return (int) TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong());
  }

  private static int slotOf(int client) {
    return (client * 0x9e3779b9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS));
  }

  /** Counts connections again that go on. Linear in those with rules; call it every few seconds. */
  public void sweep() {
    long now = nanoTime.getAsLong();
    for (Connection connection : connections.withRules()) {
      if (connection.state() == Connection.State.ENDED
          && reportsEnds.test(connection.client().switchId())) {
        long idleNanos = TimeUnit.SECONDS.toNanos(ruleSender.messages().idleSeconds(connection));
        goOnIfEndedBefore(connection, now - idleNanos - GRACE_NANOS);
      }
    }
  }

  private void goOnIfEndedBefore(Connection connection, long nanos) {
    Effects effects = connection.goOnIfEndedBefore(nanos);
    if (effects.countsAgain()) {
      connectionLimiter.resumed(connection, views.get());
      connections.changed(connection);
      int client = connection.request().srcAddress();
      long until = Integer.toUnsignedLong(second() + DISBELIEF_SECONDS);
      clients.set(slotOf(client), (long) client << Integer.SIZE | until);
    }
  }
}
