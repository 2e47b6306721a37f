package io.malob.endhost;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Follows the uplinks: which are there, whether they are alive, what they can carry. Views may be
 * read by any thread.
 */
interface Uplinks {
  /** The latest view; empty until a network is configured. */
  Optional<HostView> view();

  /** Takes a new configuration. What is known of uplinks that stay is kept. */
  void configure(HostNetwork network);

  /** Forgets the configuration. */
  void clear();

  /** The switch has come, or its ports have changed. */
  void switchChanged();

  /** The switch has gone. */
  void switchGone();

  /**
   * What came in at an uplink and may be an answer of its router.
   *
   * @param receivedNanos when it was read, by {@link System#nanoTime}'s clock
   * @return whether it was an answer to what is measured here
   */
  boolean take(OFPort port, RouterAnswer answer, long receivedNanos);

  /**
   * Sets what an uplink can carry, in place of what is measured. One that can carry nothing is not
   * alive. Without effect if there is no such uplink.
   *
   * @param bps in bit/s; empty: measure again
   */
  void record(String uplink, OptionalLong bps);

  /** Called with each new view, by the thread that made it, in order. */
  void addListener(Consumer<HostView> listener);
}
