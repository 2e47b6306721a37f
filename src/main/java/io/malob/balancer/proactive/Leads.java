package io.malob.balancer.proactive;

import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.label.LabelTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The leads from one switch, by a key. A lead is replaced by one over another path when that is
 * ready, so that there is always one to follow. For one thread at a time.
 *
 * @param <K> the end of a lead
 */
final class Leads<K> {
  private final LabelTable labels;
  private final Map<K, Lead> current = new HashMap<>();
  private final Map<K, Lead> next = new HashMap<>();

  /** Those that are replaced. Rules may still use them until they have been sent anew. */
  private final List<Lead> replaced = new ArrayList<>();

  private boolean isChanged;

  /** That of the table of labels when leads were last seen to have changed or not. */
  private long portChanges;

  Leads(LabelTable labels) {
    this.labels = labels;
  }

  /** Asks for a lead over a path. */
  void want(K key, @Nullable Server server, Path path) {
    @Nullable Lead now = current.get(key);
    if (now != null && isSame(now, server, path)) {
      drop(next.remove(key));
      return;
    }
    @Nullable Lead pending = next.get(key);
    if (pending == null || !isSame(pending, server, path) || pending.hasFailed()) {
      drop(pending);
      next.put(key, Lead.to(server, path, labels));
    }
    advance(key);
  }

  private static boolean isSame(Lead lead, @Nullable Server server, Path path) {
    boolean isSameEnd = server == null ? lead.server() == null : lead.isTo(server);
    return isSameEnd && lead.path().path().equals(path);
  }

  private void advance(K key) {
    @Nullable Lead pending = next.get(key);
    if (pending != null && pending.isReady()) {
      next.remove(key);
      isChanged = true;
      @Nullable Lead before = current.put(key, pending);
      if (before != null) {
        replaced.add(before);
      }
    }
  }

  /**
   * Whether there are other leads to follow than at the last call, or fewer, or any label has left
   * its switch by another port since.
   */
  boolean takeChanged() {
    List.copyOf(next.keySet()).forEach(this::advance);
    long now = labels.portChanges();
    boolean before = isChanged || now != portChanges;
    portChanges = now;
    isChanged = false;
    return before;
  }

  /** Whether leads are not ready yet. */
  boolean hasPending() {
    return !next.isEmpty();
  }

  /** The lead to follow; empty while none is ready. */
  Optional<Lead> find(K key) {
    advance(key);
    return Optional.ofNullable(current.get(key));
  }

  /** The ports where paths begin that rules follow now. */
  Set<OFPort> ports() {
    return Stream.concat(current.values().stream(), replaced.stream())
        .map(lead -> lead.path().path())
        .filter(path -> path.hops() > 0)
        .map(Path::firstPort)
        .collect(Collectors.toSet());
  }

  /** Forgets all leads but these. */
  void retain(Set<K> keys) {
    next.entrySet().removeIf(each -> !keys.contains(each.getKey()) && drop(each.getValue()));
    isChanged |=
        current
            .entrySet()
            .removeIf(each -> !keys.contains(each.getKey()) && replaced.add(each.getValue()));
  }

  /** No rule uses the replaced leads any more. */
  void releaseReplaced() {
    replaced.forEach(this::drop);
    replaced.clear();
  }

  private boolean drop(@Nullable Lead lead) {
    if (lead != null) {
      labels.release(lead.path());
    }
    return true;
  }
}
