package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Item;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The names of switches' masters. Written by the election alone, read by any thread. */
final class MasterNames {
  private final Map<DatapathId, String> names = new ConcurrentHashMap<>();

  /** The key of a switch has changed; null if it is gone. */
  void set(DatapathId id, @Nullable Item item) {
    if (item == null) {
      names.remove(id);
    } else {
      names.put(id, item.value());
    }
  }

  /** All keys have been read anew. Unchanged names stay readable meanwhile. */
  void replaceAll(List<Item> items) {
    Map<DatapathId, String> now = new HashMap<>();
    for (Item item : items) {
      @Nullable DatapathId id = Keys.switchOf(item.key());
      if (id != null) {
        now.put(id, item.value());
      }
    }
    names.keySet().retainAll(now.keySet());
    names.putAll(now);
  }

  Optional<String> of(DatapathId id) {
    return Optional.ofNullable(names.get(id));
  }
}
