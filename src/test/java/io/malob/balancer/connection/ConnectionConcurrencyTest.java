package io.malob.balancer.connection;

import io.malob.algorithm.Attachment;
import io.malob.balancer.admission.LifecycleFixture;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Transitions of one connection on several threads at once. Lincheck tries the interleavings of
 * random scenarios: the effects must be those of the same transitions one after the other, in some
 * order, and the counts must agree with the state in the end.
 */
@Tag("lincheck")
class ConnectionConcurrencyTest {
  private static final LifecycleFixture FIXTURE = new LifecycleFixture();
  private static final Route ROUTE = FIXTURE.route();
  private static final Route OTHER = FIXTURE.otherRoute();
  private static final Attachment ELSEWHERE =
      new Attachment(LifecycleFixture.S2, OFPort.of(3), LifecycleFixture.CLIENT.mac());

  @Test
  void transitions_onSeveralThreads_haveTheEffectsOfSomeOrder() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(200)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(2)
        .check(Transitions.class);
  }

  /** What several threads do to a connection: packets, expired rules, repairs, reconciliation. */
  public static final class Transitions {
    private final Connection connection = FIXTURE.connection(40_000);
    private final AtomicInteger counted = new AtomicInteger(1);
    private final AtomicInteger halfOpen = new AtomicInteger();

    /** A connection that has just been placed. */
    public Transitions() {
      connection.take(ROUTE);
    }

    private String carriedOut(Effects effects) {
      if (effects.countsNoMore()) {
        counted.decrementAndGet();
      }
      if (effects.countsAgain()) {
        counted.incrementAndGet();
      }
      if (effects.halfOpenUntil() != Connection.NOT_HALF_OPEN) {
        halfOpen.decrementAndGet();
      }
      return effects.before()
          + " to "
          + effects.after()
          + (effects.isEnded() ? " ended" : "")
          + (effects.halfOpenUntil() == 77 ? " half open" : "")
          + (effects.released() == null ? "" : " releases " + name(effects.released()));
    }

    private static String name(Route route) {
      return route.equals(ROUTE) ? "one" : "other";
    }

    /** The thread that has placed the connection counts it last. */
    @Operation(runOnce = true)
    public String halfOpen() {
      halfOpen.incrementAndGet();
      return carriedOut(connection.halfOpen(77, true));
    }

    @Operation
    public String hear() {
      return carriedOut(connection.hear());
    }

    @Operation
    public String end() {
      return carriedOut(connection.end(1));
    }

    @Operation
    public String reopen() {
      return carriedOut(connection.reopen(2));
    }

    @Operation
    public String expire() {
      return carriedOut(connection.expire(3));
    }

    @Operation
    public String reactivate() {
      return carriedOut(connection.reactivate());
    }

    @Operation
    public String close() {
      return carriedOut(connection.close());
    }

    @Operation
    public String closeOn() {
      return carriedOut(connection.closeOn(ROUTE));
    }

    @Operation
    public String forget() {
      return carriedOut(connection.forget());
    }

    @Operation
    public boolean move() {
      return connection.move(ROUTE, OTHER, 4);
    }

    /** Reactivation gives paths, and so does a repair. */
    @Operation
    public String take() {
      Route spare = connection.take(ROUTE);
      return spare == null ? "none" : name(spare);
    }

    /** As an audit of the member's switch does. */
    @Operation
    public boolean reconcile() {
      connection.seenAtMember(5);
      return connection.program(6, 0);
    }

    @Operation
    public boolean relocate() {
      return connection.relocate(ELSEWHERE, connection.server(), 7, 0) != null;
    }

    /** Of several threads exactly one takes it off the counts. */
    @Validate
    public void counts_agreeWithTheState() {
      State state = connection.state();
      if (counted.get() != (state.counts() ? 1 : 0)) {
        throw new AssertionError(state + " but counted " + counted.get());
      }
      if (halfOpen.get() < 0 || (halfOpen.get() == 1 && !state.hasRules())) {
        throw new AssertionError(state + " but half open " + halfOpen.get());
      }
    }
  }
}
