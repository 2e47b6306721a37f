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

  void add(LabelledPath labelled) {
    byId.put(labelled.label().id(), labelled);
    addTo(labelled, labelled.path().switches());
  }

  private void addTo(LabelledPath labelled, Collection<DatapathId> switches) {
    for (DatapathId switchId : switches) {
      bySwitch.computeIfAbsent(switchId, any -> ConcurrentHashMap.newKeySet()).add(labelled);
    }
  }

  void remove(LabelledPath labelled) {
    byId.remove(labelled.label().id(), labelled);
    removeFrom(labelled, labelled.path().switches());
  }

  private void removeFrom(LabelledPath labelled, Collection<DatapathId> switches) {
    for (DatapathId switchId : switches) {
      @Nullable Set<LabelledPath> across = bySwitch.get(switchId);
      if (across != null) {
        across.remove(labelled);
      }
    }
  }

  /** A label has another path. */
  void moved(LabelledPath labelled, Path before) {
    removeFrom(labelled, before.switches());
    addTo(labelled, labelled.path().switches());
  }

  boolean contains(LabelledPath labelled) {
    @Nullable LabelledPath known = byId.get(labelled.label().id());
    return known != null && known.equals(labelled);
  }

  @Nullable LabelledPath find(Label label) {
    return byId.get(label.id());
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
