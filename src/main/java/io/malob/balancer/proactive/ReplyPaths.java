package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.label.LabelTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The paths of replies from a member's edge to other switches. Connections have ordinals of these
 * paths; each keeps its path while that is one of those to take. For one thread at a time.
 */
final class ReplyPaths {
  /** The leads by ordinal, from 1 on. */
  private final Leads<Key> leads;

  /** The path of each ordinal; of those that have none, null. */
  private final Map<DatapathId, @Nullable Path[]> byDestination = new HashMap<>();

  private record Key(DatapathId destination, int ordinal) {}

  ReplyPaths(LabelTable labels) {
    this.leads = new Leads<>(labels);
  }

  /** The paths that replies to a switch are to take now. */
  Set<Path> used(DatapathId destination) {
    Set<Path> used = new HashSet<>();
    for (@Nullable Path path : byDestination.getOrDefault(destination, new Path[0])) {
      if (path != null) {
        used.add(path);
      }
    }
    return used;
  }

  /** Asks for paths; the first is for all ordinals that have none of their own. */
  void want(DatapathId destination, List<Path> paths) {
    @Nullable Path[] before = byDestination.getOrDefault(destination, new Path[0]);
    @Nullable Path[] after = new Path[paths.size()];
    List<Path> left = new ArrayList<>(paths);
    for (int index = 0; index < after.length && index < before.length; index++) {
      after[index] = left.remove(before[index]) ? before[index] : null;
    }
    for (int index = 0; index < after.length; index++) {
      Path path = Optional.ofNullable(after[index]).orElseGet(() -> left.remove(0));
      after[index] = path;
      leads.want(new Key(destination, index + 1), null, path);
    }
    byDestination.put(destination, after);
  }

  /**
   * The leads to a switch by ordinal, the first for all that have none; none if it is not ready.
   */
  ImmutableList<Lead> ready(DatapathId destination) {
    Optional<Lead> first = leads.find(new Key(destination, 1));
    if (first.isEmpty()) {
      return ImmutableList.of();
    }
    ImmutableList.Builder<Lead> ready = ImmutableList.builder();
    int count = byDestination.getOrDefault(destination, new Path[0]).length;
    for (int ordinal = 1; ordinal <= count; ordinal++) {
      ready.add(leads.find(new Key(destination, ordinal)).orElse(first.get()));
    }
    return ready.build();
  }

  boolean hasPending() {
    return leads.hasPending();
  }

  /** Forgets all but the paths to these switches, and what ordinals do not take any more. */
  void retain(Set<DatapathId> destinations) {
    byDestination.keySet().retainAll(destinations);
    Set<Key> keys = new HashSet<>();
    byDestination.forEach(
        (destination, paths) -> {
          for (int ordinal = 1; ordinal <= paths.length; ordinal++) {
            keys.add(new Key(destination, ordinal));
          }
        });
    leads.retain(keys);
  }

  /** No rule uses the replaced leads any more. */
  void releaseReplaced() {
    leads.releaseReplaced();
  }
}
