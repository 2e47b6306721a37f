package io.malob.cluster.election;

import io.malob.module.MastershipPolicy;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Which live controller is to be a switch's next master: the first of an order, of those that are
 * connected to it. With the policy {@code single}, the order is that in which they joined, with
 * {@code spread} that of their scores in {@link Rendezvous}. All methods on one serial executor.
 */
record Preference(
    ThisNode self, LiveNodes nodes, Membership membership, PolicyKey policy, ElectionStore store) {
  /** The time that a switch has to reach a preferred controller before another one claims it. */
  private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The time for masters to create their keys again after leases have expired, as they do when etcd
   * was without a quorum.
   */
  private static final long EXPIRED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private boolean isSpread() {
    return policy.current() == MastershipPolicy.SPREAD;
  }

  private static double score(Node node, DatapathId id) {
    return Rendezvous.score(node.name(), node.weight(), id);
  }

  /** Whether another controller comes before this one, were both connected. */
  boolean isBeforeThis(Node other, DatapathId id) {
    if (!isSpread()) {
      return other.createRevision() < membership.createRevision();
    }
    double own = Rendezvous.score(self.name(), self.weight(), id);
    double others = score(other, id);
    return others > own || (others == own && other.name().compareTo(self.name()) < 0);
  }

  /** The controller that comes next if this one gives up the switch; empty if there is none. */
  Optional<Node> next(DatapathId id) {
    Comparator<Node> order =
        isSpread()
            ? Comparator.<Node>comparingDouble(node -> -score(node, id)).thenComparing(Node::name)
            : Comparator.comparingLong(Node::createRevision);
    return nodes.others().filter(node -> node.switches().contains(id)).min(order);
  }

  /**
   * Whether this controller comes first. Preferred ones that are not connected to the switch get a
   * second, because a switch connects to one controller after the other.
   */
  boolean isForThis(LocalSwitch local) {
    if (membership.wasExpiredWithin(EXPIRED_NANOS)) {
      return false;
    }
    List<Node> before = nodes.others().filter(node -> isBeforeThis(node, local.id())).toList();
    if (before.stream().anyMatch(node -> node.switches().contains(local.id()))) {
      return false;
    }
    return before.isEmpty() || store.now() - local.connectedNanos() >= CONNECT_NANOS;
  }
}
