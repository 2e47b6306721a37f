package io.malob.cluster.election;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Which live controller is to be a switch's next master: the first in the order in which they
 * joined, of those that are connected to it. All methods on one serial executor.
 */
final class Preference {
  /** The time that a switch has to reach a preferred controller before another one claims it. */
  private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The time for masters to create their keys again after leases have expired, as they do when etcd
   * was without a quorum.
   */
  private static final long EXPIRED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LiveNodes nodes;
  private final Membership membership;
  private final LongSupplier nanoTime;

  /** When the lease has last expired, and with it perhaps the master's: masters come first then. */
  private long expiredNanos;

  Preference(LiveNodes nodes, Membership membership, LongSupplier nanoTime) {
    this.nodes = nodes;
    this.membership = membership;
    this.nanoTime = nanoTime;
    expiredNanos = nanoTime.getAsLong() - EXPIRED_NANOS;
  }

  /** This controller's lease has expired. */
  void leaseExpired() {
    expiredNanos = nanoTime.getAsLong();
  }

  /** The controller that comes next if this one gives up the switch; empty if there is none. */
  Optional<Node> next(DatapathId id) {
    return nodes
        .others()
        .filter(node -> node.switches().contains(id))
        .min(Comparator.comparingLong(Node::createRevision));
  }

  /**
   * Whether this controller comes first. Preferred ones that are not connected to the switch get a
   * second, because a switch connects to one controller after the other.
   */
  boolean isForThis(LocalSwitch local) {
    long now = nanoTime.getAsLong();
    if (now - expiredNanos < EXPIRED_NANOS) {
      return false;
    }
    List<Node> earlier =
        nodes.others().filter(node -> node.createRevision() < membership.createRevision()).toList();
    if (earlier.stream().anyMatch(node -> node.switches().contains(local.id()))) {
      return false;
    }
    return earlier.isEmpty() || now - local.connectedNanos() >= CONNECT_NANOS;
  }
}
