package io.malob.cluster.etcd;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether etcd still has all changes that it has reported to this process. If it answers with a
 * smaller revision than before, or as another cluster, it was restored from a backup or replaced,
 * and has lost changes. That lasts until an operator accepts it. Thread-safe; listeners must not
 * block.
 */
public final class History {
  private static final Logger logger = LoggerFactory.getLogger(History.class);

  private final List<LongConsumer> lossListeners = new CopyOnWriteArrayList<>();
  private final List<LongConsumer> acceptListeners = new CopyOnWriteArrayList<>();
  private final TreeSet<String> older = new TreeSet<>();
  private long acceptances;
  private long cluster;
  private long seen;
  private long found;
  private boolean isLost;
  private boolean isLostForPeers;

  /** What was known when a request was sent: its answer is not older. */
  public record Mark(long acceptances, long seen) {}

  /** To be taken before a request that reads the latest state. */
  public synchronized Mark mark() {
    return new Mark(acceptances, seen);
  }

  /**
   * Takes the header of an answer.
   *
   * @return whether it shows that changes were lost, for the first time
   */
  public boolean answered(Mark before, long clusterId, long revision) {
    long was;
    synchronized (this) {
      if (before.acceptances() != acceptances || isLost) {
        return false;
      }
      boolean isSame = cluster == 0 || cluster == clusterId;
      if (isSame && revision >= before.seen()) {
        cluster = clusterId;
        seen = Math.max(seen, revision);
        return false;
      }
      isLost = true;
      found = revision;
      was = seen;
    }
    logger.error(
        "etcd_went_back revision={} was={} - etcd was restored from a backup or replaced; changes"
            + " are refused until './malob cluster raise-base' accepts its state",
        revision,
        was);
    lossListeners.forEach(listener -> listener.accept(was));
    return true;
  }

  /** Adds a listener for losses; it receives the greatest revision that etcd has reported. */
  public void onLoss(LongConsumer listener) {
    lossListeners.add(listener);
  }

  /** Adds a listener for acceptances; it receives the greatest revision before the loss. */
  public void onAcceptance(LongConsumer listener) {
    acceptListeners.add(listener);
  }

  /** Notes documents that etcd has in an earlier state than this process. */
  public synchronized void addOlder(Collection<String> names) {
    older.addAll(names);
  }

  /** Notes whether another controller has found that changes were lost. */
  public synchronized void setLostForPeers(boolean isSo) {
    isLostForPeers = isSo;
  }

  /** Whether this process knows of lost changes. */
  public synchronized boolean isLost() {
    return isLost;
  }

  /** Whether changes are refused: this process or another one knows of lost changes. */
  public synchronized boolean isRefusing() {
    return isLost || isLostForPeers;
  }

  /** What was lost, for operators. */
  public synchronized String description() {
    if (!isLost) {
      return "etcd was restored from a backup or replaced, as another controller has noticed."
          + " Changes are refused.";
    }
    return String.format(
        "etcd was restored from a backup or replaced: its revision is %d, and was %d before."
            + " Changes are refused. Older than before: %s.",
        found,
        seen,
        older.isEmpty() ? "no document" : String.join(", ", ImmutableSortedSet.copyOf(older)));
  }

  /** The state of etcd counts from now on, whatever it has lost. */
  public void accept() {
    long was;
    synchronized (this) {
      if (!isLost) {
        return;
      }
      was = seen;
      acceptances++;
      isLost = false;
      cluster = 0;
      seen = 0;
      older.clear();
    }
    acceptListeners.forEach(listener -> listener.accept(was));
  }
}
