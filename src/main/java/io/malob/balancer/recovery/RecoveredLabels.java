package io.malob.balancer.recovery;

import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.admission.RecoveringConnection;
import io.malob.balancer.recovery.FoundReplies.FoundReply;
import io.malob.openflow.FoundRule;
import io.malob.openflow.label.FoundLabels;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The labels of connections that are being recovered. Their paths are assembled from the hops that
 * are found on switches, and kept as long as such a connection needs them. For one thread at a
 * time.
 */
public final class RecoveredLabels {
  private final LabelTable table;
  private final long patienceNanos;
  private final LongSupplier nanoTime;
  private final Predicate<Label> isUsedByBuckets;
  private final FoundLabels found = new FoundLabels();
  private final Map<Label, Long> foundAtNanos = new HashMap<>();

  /** The labels whose paths are complete. This object holds one use of each in the table. */
  private final Map<Label, LabelledPath> held = new HashMap<>();

  /**
   * No labels.
   *
   * @param patienceNanos how long hops stay whose label no connection uses
   * @param isUsedByBuckets whether rules of proactive VIPs use a label
   */
  public RecoveredLabels(
      LabelTable table,
      long patienceNanos,
      Predicate<Label> isUsedByBuckets,
      LongSupplier nanoTime) {
    this.table = table;
    this.patienceNanos = patienceNanos;
    this.nanoTime = nanoTime;
    this.isUsedByBuckets = isUsedByBuckets;
  }

  /**
   * Adds a hop; false if its label is not to be recovered.
   *
   * @param mayBeNew whether the label may be unknown so far
   */
  boolean add(DatapathId at, FoundRule.Hop hop, boolean mayBeNew) {
    Label label = hop.label();
    if (!found.contains(label)) {
      if (!mayBeNew || !table.reserve(label)) {
        return false;
      }
      foundAtNanos.put(label, nanoTime.getAsLong());
    }
    found.add(at, hop);
    return true;
  }

  /** Adds the labels of these rules to the table if their paths are complete from end to end. */
  void putTogether(
      Collection<RecoveringConnection> requests,
      Collection<FoundReply> replies,
      Topology topology) {
    Set<Label> tried = new HashSet<>();
    for (RecoveringConnection request : requests) {
      putTogether(request.rule().label(), request.at(), topology, tried);
    }
    for (FoundReply reply : replies) {
      putTogether(reply.rule().label(), reply.at(), topology, tried);
    }
  }

  private void putTogether(
      Optional<Label> label, DatapathId first, Topology topology, Set<Label> tried) {
    if (label.isPresent() && tried.add(label.get()) && found.contains(label.get())) {
      found
          .path(label.get(), first, topology)
          .filter(path -> path.hops() > 0)
          .ifPresent(path -> hold(label.get(), path));
    }
  }

  private void hold(Label label, Path path) {
    found.remove(label);
    foundAtNanos.remove(label);
    held.put(label, table.recover(label, path));
  }

  /**
   * Takes one more use of the path from one switch to another with the label of a rule; null if the
   * path is not known or connects other switches.
   */
  @Nullable LabelledPath take(Optional<Label> label, DatapathId from, DatapathId to) {
    if (label.isEmpty()) {
      return from.equals(to) ? table.acquire(Path.within(from)) : null;
    }
    @Nullable LabelledPath recovered = held.get(label.get());
    // or the former master has told of it
    @Nullable LabelledPath labelled = recovered == null ? table.find(label.get()) : recovered;
    return labelled != null
            && labelled.path().src().equals(from)
            && labelled.path().dst().equals(to)
            && table.share(labelled)
        ? labelled
        : null;
  }

  /**
   * Releases the labels that none of these rules uses. Incomplete paths are discarded after {@code
   * patienceNanos} only. Returns whether labels are left.
   */
  boolean letGo(Collection<RecoveringConnection> requests, Collection<FoundReply> replies) {
    if (held.isEmpty() && foundAtNanos.isEmpty()) {
      return false;
    }
    Set<Label> used = new HashSet<>();
    requests.forEach(request -> request.rule().label().ifPresent(used::add));
    replies.forEach(reply -> reply.rule().label().ifPresent(used::add));
    held.entrySet()
        .removeIf(
            entry -> {
              boolean idle =
                  !used.contains(entry.getKey()) && !isUsedByBuckets.test(entry.getKey());
              if (idle) {
                table.release(entry.getValue());
              }
              return idle;
            });
    for (Label label : found.labels()) {
      @Nullable Long since = foundAtNanos.get(label);
      boolean waited = since == null || nanoTime.getAsLong() - since >= patienceNanos;
      if (waited && !used.contains(label) && !isUsedByBuckets.test(label)) {
        foundAtNanos.remove(label);
        table.discard(label, found.remove(label));
      }
    }
    return !held.isEmpty() || !foundAtNanos.isEmpty();
  }
}
