package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.malob.openflow.bucket.BucketSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The groups of client edges of a VIP that have the same clients: those of routers that take over
 * from each other, and those at which a next hop was seen, one after the other. One edge of each
 * group decides which members all of its buckets lead to, so that connections whose packets change
 * the edge keep their members. An edge stays in its group. For one thread at a time.
 */
final class EdgeGroups {
  /** By each of its switches; switches of no group are missing. */
  private final Map<DatapathId, TreeSet<DatapathId>> groups = new HashMap<>();

  /** The edges that decide for their groups. */
  private final Set<DatapathId> deciding = new HashSet<>();

  /** Switches that share clients join one group; whether that changed any. */
  boolean join(Collection<? extends Set<DatapathId>> shared) {
    boolean hasChanged = false;
    for (Set<DatapathId> each : shared) {
      if (each.size() > 1 && !isGroup(each)) {
        TreeSet<DatapathId> merged = new TreeSet<>(each);
        each.forEach(switchId -> merged.addAll(groups.getOrDefault(switchId, new TreeSet<>())));
        merged.forEach(switchId -> groups.put(switchId, merged));
        hasChanged = true;
      }
    }
    return hasChanged;
  }

  /** The group of each switch that is in one. */
  ImmutableMap<DatapathId, ImmutableSet<DatapathId>> all() {
    return ImmutableMap.copyOf(Maps.transformValues(groups, ImmutableSet::copyOf));
  }

  private boolean isGroup(Set<DatapathId> switches) {
    TreeSet<DatapathId> known = groups.getOrDefault(switches.iterator().next(), new TreeSet<>());
    return known.containsAll(switches);
  }

  /** The switches of an edge's group, itself included; empty if it is in none. */
  Set<DatapathId> of(DatapathId switchId) {
    return groups.getOrDefault(switchId, new TreeSet<>());
  }

  /**
   * The edge that decides for an edge's group, maybe the edge itself: as long as possible the same,
   * or else the one with the smallest number. Empty if none can, or the edge is in no group.
   *
   * @param edges all edges of the VIP
   * @param source the part of packets that chooses the edge's buckets; others' are not comparable
   * @param canDecide whether an edge has buckets and its switch is connected
   */
  Optional<EdgeBuckets> deciderOf(
      DatapathId edge,
      Map<DatapathId, EdgeBuckets> edges,
      BucketSource source,
      Predicate<EdgeBuckets> canDecide) {
    Optional<EdgeBuckets> first = Optional.empty();
    for (DatapathId each : of(edge)) {
      Optional<EdgeBuckets> next = Optional.ofNullable(edges.get(each)).filter(canDecide);
      if (next.isEmpty()) {
        deciding.remove(each);
      } else if (next.get().hasBucketsBy(source)
          && (first.isEmpty()
              || (deciding.contains(each) && !deciding.contains(first.get().switchId())))) {
        first = next;
      }
    }
    first.ifPresent(found -> deciding.add(found.switchId()));
    return first;
  }
}
