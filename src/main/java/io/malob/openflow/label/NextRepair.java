package io.malob.openflow.label;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The repair to request when a pending label has settled. Thread-safe. */
final class NextRepair {
  private final AtomicReference<@Nullable Request> request = new AtomicReference<>();

  private record Request(Set<LabelledPath> awaited, Runnable again) {}

  /** Requests the repair when one of these labels has settled. */
  void await(List<LabelledPath> pending, Runnable again) {
    if (!pending.isEmpty()) {
      request.set(new Request(Set.copyOf(pending), again));
      // some may have settled before that
      pending.stream().filter(LabelledPath::isAtRest).forEach(this::cameToRest);
    }
  }

  /** Only awaited labels count: a repair that fails at once would repeat itself. */
  void cameToRest(LabelledPath labelled) {
    @Nullable Request next = request.get();
    if (next != null && next.awaited.contains(labelled) && request.compareAndSet(next, null)) {
      next.again.run();
    }
  }
}
