package io.malob.module;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Decides of which switches this controller is master, in a cluster. The OpenFlow channel reports
 * the events of its connections, and requests the role of master only when told to. The calls for
 * one connection come from one thread, in order; they must not block.
 */
public interface Mastership {
  /** A switch has connected and has accepted this controller as its slave. */
  void connected(RoleChannel sw);

  /** The switch has accepted the claim with this generation id: this controller is its master. */
  void granted(RoleChannel sw, long generation);

  /** The switch has rejected the claim with this generation id: it has accepted a later one. */
  void staleClaim(RoleChannel sw, long generation);

  /** The switch has another master now. */
  void replaced(RoleChannel sw);

  /** The switch has named the latest generation id that it has accepted. */
  void generationSeen(RoleChannel sw, long generation);

  /** The connection has ended. */
  void disconnected(RoleChannel sw);

  /**
   * Passes on the key of link probes, which only the controllers of the cluster know: as soon as it
   * is known, and each that replaces it. The follower must not block.
   */
  void followProbeKey(Consumer<byte[]> follower);

  /** A connection to a switch, as far as the role is concerned. Thread-safe; nothing blocks. */
  interface RoleChannel {
    /** The switch. */
    DatapathId id();

    /** Requests the role of master with this generation id. */
    void requestMaster(long generation);

    /** Asks the switch for this controller's role. */
    void askRole();

    /**
     * Hands packet-ins of hosts on from now on, instead of handling them, as long as this
     * controller is the master.
     *
     * @param next takes an OpenFlow message, on the channel's thread; false if it cannot, and the
     *     packet-in is handled here
     * @return completed when the switch has carried out all earlier messages, or does not answer
     */
    CompletableFuture<Void> handOn(Predicate<byte[]> next);

    /** Handles packet-ins here again. */
    void stopHandingOn();

    /**
     * Takes a packet-in of this switch that its master has handed on. It is handled as soon as this
     * controller is the master, if that is the case within two seconds.
     *
     * @param message an OpenFlow message, not changed afterwards
     */
    void takeHandedOn(byte[] message);

    /**
     * The switch's master has ended, or nothing is heard of it. When this controller is the master,
     * it returns the packet-ins of hosts of the last second to the switch: else hosts would repeat
     * them, TCP after a second. May be called again, as long as the silence lasts.
     */
    void masterSilent();
  }
}
