package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.State;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.packet.Packet;
import io.malob.testing.Together;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/**
 * A connection that times out or is ended on one thread and goes on, or begins anew, on another: it
 * counts if it is open in the end.
 */
class ReactivationRaceTest {
  private static final int ROUNDS = 20_000;
  private static final int PORT = 40_000;

  /** The table forgets what is dormant at once, and reads the clock for that. */
  @Test
  void reactivationAfterTheTimeOut_beforeItIsUncounted_counts() {
    LifecycleFixture all = new LifecycleFixture(LifecycleFixture.NO_BOUND, 0);
    Connection connection = all.open(PORT);
    all.teardown.heard(connection);
    Packet later = LifecycleFixture.fromClient(PORT, Packet.TCP_ACK);
    Runnable forward = () -> all.activator.forward(connection, all.arrival(later));
    Runnable skipOne = () -> all.atNextReading.set(forward);

    all.atNextReading.set(skipOne);
    all.teardown.timedOut(
        LifecycleFixture.S1, connection.request(), connection.generation(), RuleCounts.UNKNOWN);

    assertEquals(State.OPEN, connection.state());
    all.assertCounts(1);
  }

  @Test
  void timeOutAndReactivation_onTwoThreads_leaveOpenConnectionsCounted() throws Exception {
    LifecycleFixture all = new LifecycleFixture();
    Connection connection = all.open(PORT);
    all.teardown.heard(connection);
    Packet later = LifecycleFixture.fromClient(PORT, Packet.TCP_ACK);
    race(
        all,
        connection,
        () ->
            all.teardown.timedOut(
                LifecycleFixture.S1,
                connection.request(),
                connection.generation(),
                RuleCounts.UNKNOWN),
        () -> all.activator.forward(connection, all.arrival(later)));
  }

  @Test
  void endAndNewBeginning_onTwoThreads_leaveOpenConnectionsCounted() throws Exception {
    LifecycleFixture all = new LifecycleFixture();
    Connection connection = all.open(PORT);
    race(
        all,
        connection,
        () -> all.teardown.ended(connection.request(), false),
        () -> {
          while (connection.state() != State.ENDED) {
            Thread.onSpinWait();
          }
          if (connection.reopen(0).happened()) {
            all.connectionLimiter.reopened(connection, all.view.get());
          }
        });
  }

  private static void race(
      LifecycleFixture all, Connection connection, Runnable ends, Runnable goesOn)
      throws Exception {
    CyclicBarrier begin = new CyclicBarrier(2);
    CyclicBarrier end =
        new CyclicBarrier(
            2,
            () -> {
              boolean counts = connection.state().counts();
              all.assertCounts(counts ? 1 : 0);
            });
    Together.run(
        2,
        thread -> {
          for (int round = 0; round < ROUNDS; round++) {
            begin.await();
            if (thread == 0) {
              ends.run();
            } else {
              goesOn.run();
            }
            end.await();
          }
        });
  }
}
