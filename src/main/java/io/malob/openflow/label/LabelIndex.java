package io.malob.openflow.label;

import io.malob.algorithm.graph.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The labels of a {@link LabelTable}, by id and by the switches on their paths. Thread-safe; a
 * label is removed or moved by one thread at a time.
 */
final class LabelIndex {
  private final Map<Integer, LabelledPath> byId = new ConcurrentHashMap<>();
  private final Map<DatapathId, Set<LabelledPath>> bySwitch = new ConcurrentHashMap<>();

  /** The labels for new connections; of several for one path, after a repair, only one. */
  private final Map<Path, LabelledPath> byPath = new ConcurrentHashMap<>();

  /** Adds a label; returns that for new connections over its path. */
  LabelledPath add(LabelledPath labelled) {
    byId.put(labelled.label().id(), labelled);
    return addTo(labelled, labelled.path());
  }

  private LabelledPath addTo(LabelledPath labelled, Path path) {
    for (DatapathId switchId : path.switches()) {
      bySwitch.computeIfAbsent(switchId, any -> ConcurrentHashMap.newKeySet()).add(labelled);
    }
    @Nullable LabelledPath earlier = byPath.putIfAbsent(path, labelled);
    return earlier == null ? labelled : earlier;
  }

  void remove(LabelledPath labelled) {
    byId.remove(labelled.label().id(), labelled);
    removeFrom(labelled, labelled.path());
  }

  private void removeFrom(LabelledPath labelled, Path path) {
    for (DatapathId switchId : path.switches()) {
      @Nullable Set<LabelledPath> across = bySwitch.get(switchId);
      if (across != null) {
        across.remove(labelled);
      }
    }
    byPath.remove(path, labelled);
  }

  /** A label is no longer for new connections. */
  void retire(LabelledPath labelled, Path path) {
    byPath.remove(path, labelled);
  }

  /** A label has another path. */
  void moved(LabelledPath labelled, Path before) {
    if (!labelled.path().equals(before)) {
      removeFrom(labelled, before);
      addTo(labelled, labelled.path());
    }
  }

  boolean contains(LabelledPath labelled) {
    @Nullable LabelledPath known = byId.get(labelled.label().id());
    return known != null && known.equals(labelled);
  }

  @Nullable LabelledPath find(Label label) {
    return byId.get(label.id());
  }

  /** The label for new connections over a path. */
  @Nullable LabelledPath find(Path path) {
    return byPath.get(path);
  }

  /** The current labels. */
  Collection<LabelledPath> all() {
    return List.copyOf(byId.values());
  }

  /** The current labels over a switch. */
  Collection<LabelledPath> across(DatapathId switchId) {
    return List.copyOf(bySwitch.getOrDefault(switchId, Set.of()));
  }
}
