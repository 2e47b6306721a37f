package io.malob.balancer.proactive;

import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.label.Label;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The buckets of a VIP that a switch has from an earlier run. For one thread at a time. */
final class RecoveredBuckets {
  private final Map<BucketKey, Map<Integer, BucketCookie>> byKey = new HashMap<>();
  private final Set<Label> labels = new HashSet<>();

  void add(BucketCookie cookie, Optional<Label> label) {
    byKey.computeIfAbsent(cookie.key(), any -> new HashMap<>()).put(cookie.index(), cookie);
    label.ifPresent(labels::add);
  }

  /** The labels in their rules, which must stay until the rules have others. */
  Set<Label> labels() {
    return labels;
  }

  /** Whether one set of them is complete. */
  boolean isComplete() {
    return finest() != null;
  }

  /** How the switch sorts packets: by the finest complete set. */
  BucketKey key() {
    return Objects.requireNonNull(finest());
  }

  private @Nullable BucketKey finest() {
    return byKey.entrySet().stream()
        .filter(each -> each.getValue().size() == each.getKey().count())
        .map(Map.Entry::getKey)
        .max(java.util.Comparator.comparingInt(BucketKey::count))
        .orElse(null);
  }

  /** A bucket of the complete set. */
  BucketCookie cookie(int index) {
    return Objects.requireNonNull(Objects.requireNonNull(byKey.get(key())).get(index));
  }
}
