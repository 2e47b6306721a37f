package io.malob.mptcp;

import io.malob.openflow.label.Label;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Allocates labels for sub-flows; the most recently freed label comes last. For one thread at a
 * time.
 */
final class LabelNumbers {
  private final Set<Integer> used = new HashSet<>();
  private int last = Label.MAX_CONNECTION_ID;

  /** All labels but these are free. */
  LabelNumbers(Collection<Label> used) {
    used.forEach(
        label -> {
          this.used.add(label.id());
          last = Math.max(last, label.id());
        });
  }

  /** A free label. */
  Label next() {
    for (int tries = Label.MAX_CONNECTION_ID; tries > 0; tries--) {
      last = last == Label.MAX_ID ? Label.MAX_CONNECTION_ID + 1 : last + 1;
      if (used.add(last)) {
        return new Label(last);
      }
    }
    throw new IllegalStateException("all labels of sub-flows are in use");
  }

  /** The number of allocated labels. */
  int inUse() {
    return used.size();
  }

  /** Frees a label. */
  void release(Label label) {
    used.remove(label.id());
  }
}
