package io.malob.mptcp;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Distinguishes failed links from links that are not seen for another reason: the controller has
 * just started, or a switch has lost its connection and still forwards. For one thread at a time.
 */
final class LinkLife {
  /** The max time until the links of a new switch are found. */
  static final long FIND_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoTime;
  private final BiPredicate<DatapathId, OFPort> isUp;
  private final Map<DatapathId, Long> activeSince = new HashMap<>();
  private final Set<DirectedLink> seen = new HashSet<>();
  private Topology found = Topology.EMPTY;

  /**
   * No switch is active yet.
   *
   * @param isUp whether a port of an active switch is up
   */
  LinkLife(LongSupplier nanoTime, BiPredicate<DatapathId, OFPort> isUp) {
    this.nanoTime = nanoTime;
    this.isUp = isUp;
  }

  /** The controller's current view: active switches, and the links between them. */
  void update(Topology now) {
    activeSince.keySet().retainAll(now.switches());
    now.switches().forEach(id -> activeSince.putIfAbsent(id, nanoTime.getAsLong()));
    seen.removeIf(
        link -> !activeSince.containsKey(link.src()) || !activeSince.containsKey(link.dst()));
    seen.addAll(now.links());
    found = now;
  }

  /** Whether a link in use counts as working. */
  boolean isAlive(DirectedLink link) {
    if (found.contains(link)) {
      return true;
    }
    @Nullable Long src = activeSince.get(link.src());
    @Nullable Long dst = activeSince.get(link.dst());
    boolean isDown =
        (src != null && !isUp.test(link.src(), link.srcPort()))
            || (dst != null && !isUp.test(link.dst(), link.dstPort()));
    if (isDown || src == null || dst == null) {
      return !isDown;
    }
    return !seen.contains(link) && nanoTime.getAsLong() - Math.max(src, dst) < FIND_NANOS;
  }

  /** The network with those of these links that count as working. */
  Topology with(Collection<DirectedLink> inUse) {
    List<DirectedLink> links = new ArrayList<>(found.links());
    Set<DatapathId> switches = new TreeSet<>(found.switches());
    for (DirectedLink link : inUse) {
      if (!found.contains(link) && isAlive(link)) {
        links.add(link);
        switches.add(link.src());
        switches.add(link.dst());
      }
    }
    return Topology.of(switches, links);
  }
}
