package io.malob.cluster.election;

import io.malob.module.ClusterView.Role;
import io.malob.module.Mastership.RoleChannel;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.DatapathId;

/** A connected switch, and this controller's role there. All methods on one serial executor. */
final class LocalSwitch {
  /** The time that a switch has to answer a claim. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Between two questions to a switch whether it has another master. */
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(90);

  private final RoleChannel channel;
  private final long connectedNanos;

  /** Whether this controller is the master, by the latest answer of the switch. */
  private boolean isMaster;

  /** The latest generation id of this controller that the switch has accepted; 0 if none. */
  private long granted;

  /** The generation id of the pending claim; 0 if there is none. */
  private long requested;

  private long requestedNanos;

  /** The generation id that the switch has rejected; 0 if none. */
  private long stale;

  private long askedNanos;

  LocalSwitch(RoleChannel channel, long now) {
    this.channel = channel;
    connectedNanos = now;
    askedNanos = now - ASK_NANOS;
  }

  DatapathId id() {
    return channel.id();
  }

  RoleChannel channel() {
    return channel;
  }

  /** Since when it is connected. */
  long connectedNanos() {
    return connectedNanos;
  }

  boolean isMaster() {
    return isMaster;
  }

  boolean isRequested() {
    return requested != 0;
  }

  boolean isStale() {
    return stale != 0;
  }

  Role role() {
    if (isMaster) {
      return Role.MASTER;
    } else if (isStale()) {
      return Role.STALE;
    }
    return isRequested() ? Role.REQUESTED : Role.SLAVE;
  }

  /** Claims the role, one claim at a time, unless the switch has answered this one already. */
  void request(long generation, long now) {
    if (requested == 0 && granted != generation && stale != generation) {
      requested = generation;
      requestedNanos = now;
      channel.requestMaster(generation);
    }
  }

  void granted(long generation) {
    isMaster = true;
    granted = generation;
    stale = 0;
    if (requested == generation) {
      requested = 0;
    }
  }

  /** The switch has rejected this claim; false if it was another one. */
  boolean rejected(long generation) {
    if (requested != generation) {
      return false;
    }
    requested = 0;
    stale = generation;
    channel.askRole(); // the answer has the id that the switch has accepted
    return true;
  }

  void replaced() {
    isMaster = false;
    granted = 0;
  }

  /** Another claim will come with another key. */
  void forgetStale() {
    stale = 0;
  }

  /** Gives up a claim that the switch has not answered in time; false if there is none. */
  boolean givesUp(long now) {
    boolean isUnanswered = requested != 0 && now - requestedNanos >= ANSWER_NANOS;
    if (isUnanswered) {
      requested = 0;
    }
    return isUnanswered;
  }

  /** Asks the switch whether this controller is still its master, not too often. */
  void askIfReplaced(long now) {
    if (isMaster && now - askedNanos >= ASK_NANOS) {
      askedNanos = now;
      channel.askRole();
    }
  }
}
