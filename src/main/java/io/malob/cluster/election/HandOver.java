package io.malob.cluster.election;

import com.google.common.collect.ImmutableSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A running hand-over of these switches to other controllers.
 *
 * @param untilNanos when it ends, whatever has become of them
 * @param done receives the number of those handed over
 */
record HandOver(
    ImmutableSet<DatapathId> switches, long untilNanos, CompletableFuture<Integer> done) {

  /** The max time that a hand-over waits for the next masters. */
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  HandOver(ImmutableSet<DatapathId> switches, long now) {
    this(switches, now + MAX_NANOS, new CompletableFuture<>());
  }

  /**
   * Ends it if all switches have their next master, or its time is over.
   *
   * @param isMaster whether this controller is still a switch's master
   * @return whether it has ended
   */
  boolean ends(Predicate<DatapathId> isMaster, long now) {
    int kept = (int) switches.stream().filter(isMaster).count();
    boolean isOver = kept == 0 || now - untilNanos >= 0;
    if (isOver) {
      done.complete(switches.size() - kept);
    }
    return isOver;
  }
}
