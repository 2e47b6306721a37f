package io.malob.cluster.election;

import com.google.common.collect.ImmutableList;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.openflow.label.LabelRange;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The search for a slot by attempts to join. A slot's key has a longer lease than its controller's:
 * a controller that is only cut off from etcd goes on allocating and maintaining labels by its
 * slot. So another one gets that slot early only if there is no other; a new process of the same
 * name gets it at once. For one thread.
 */
final class SlotChoice {
  /** How long a slot stays taken after etcd has last heard of its controller. */
  static final Duration LIFETIME = Duration.ofSeconds(60);

  private final String name;

  /** The keys of taken slots, as failed attempts have shown them. */
  private final Map<Integer, Item> taken = new TreeMap<>();

  /** Controllers that are live, so that their slots cannot be had. */
  private final Set<String> live = new HashSet<>();

  private int slot;

  /** No slot is known to be taken. */
  SlotChoice(String name) {
    this.name = name;
  }

  /** The slot of the current attempt, or of the last that succeeded. */
  int slot() {
    return slot;
  }

  /** What must hold in the next attempt, besides the controller's name; empty if there is none. */
  Optional<List<Condition>> next() {
    Optional<Integer> next = own().or(this::free).or(this::abandoned);
    next.ifPresent(number -> slot = number);
    return next.map(this::conditions);
  }

  /** That of an earlier process of this name, or of this one. */
  private Optional<Integer> own() {
    return taken.entrySet().stream()
        .filter(each -> each.getValue().value().equals(name))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** The first free one; a controller that joins again tries its own before. */
  private Optional<Integer> free() {
    for (int i = 0; i < LabelRange.SLOTS; i++) {
      int number = i == 0 ? slot : (i <= slot ? i - 1 : i);
      if (!taken.containsKey(number)) {
        return Optional.of(number);
      }
    }
    return Optional.empty();
  }

  /** The one that was taken first, of those whose controller may be gone. */
  private Optional<Integer> abandoned() {
    return taken.entrySet().stream()
        .filter(each -> !live.contains(each.getValue().value()))
        .min(Comparator.comparingLong(each -> each.getValue().modRevision()))
        .map(Map.Entry::getKey);
  }

  private List<Condition> conditions(int number) {
    @Nullable Item item = taken.get(number);
    if (item == null) {
      return ImmutableList.of(new Condition(Keys.slot(number), 0));
    }
    Condition unchanged = new Condition(item.key(), item.modRevision());
    return item.value().equals(name)
        ? ImmutableList.of(unchanged)
        : ImmutableList.of(unchanged, new Condition(Keys.node(item.value()), 0));
  }

  /** The attempt has failed: these keys of its conditions exist. */
  void failed(Collection<Item> now) {
    taken.remove(slot);
    for (Item item : now) {
      if (item.key().equals(Keys.slot(slot))) {
        taken.put(slot, item);
      } else if (item.key().startsWith(Keys.NODES)) {
        live.add(item.key().substring(Keys.NODES.length()));
      }
    }
  }

  /** Controllers may have gone since the attempts. */
  void forgetLive() {
    live.clear();
  }

  /** The attempt has succeeded: the next search begins with this slot. */
  void joined() {
    taken.clear();
    live.clear();
  }
}
