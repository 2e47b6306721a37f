package io.malob.endhost;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The state of the uplinks: their ports, liveness and capacities. Views may be read by any thread.
 */
interface Uplinks {
  /** The latest view; empty until a network is configured. */
  Optional<HostView> view();

  /** Takes a new configuration. Measurements of unchanged uplinks are kept. */
  void configure(HostNetwork network);

  /** Forgets the configuration. */
  void clear();

  /** The switch has connected, or its ports have changed. */
  void switchChanged();

  /** The switch has disconnected. */
  void switchGone();

  /**
   * Takes a packet from an uplink that may be an answer of its router.
   *
   * @param receivedNanos when it was read, by {@link System#nanoTime}'s clock
   * @return whether it was an answer to a probe
   */
  boolean take(OFPort port, RouterAnswer answer, long receivedNanos);

  /**
   * Sets the capacity of an uplink, instead of the measured one. An uplink with capacity 0 is not
   * alive. No effect if there is no such uplink.
   *
   * @param bps in bit/s; empty: measure again
   */
  void record(String uplink, OptionalLong bps);

  /** Called with each new view, by the thread that made it, in order. */
  void addListener(Consumer<HostView> listener);
}
