package io.malob.cluster;

import io.malob.cluster.election.GenerationIds;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.History;
import io.malob.module.ClusterView;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows when etcd has lost changes. The controller that notices it tells the others by a
 * key: the greatest generation id that masters may have had. All of them refuse changes until the
 * base of generation ids is as great, which an operator sets to accept etcd's state.
 */
final class Restoration implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(Restoration.class);
  private static final long PAUSE_MILLIS = 1_000;
  private static final String FOLDER = "cluster";
  private static final String BASE = "generation-base";

  /** The key that tells other controllers, also those that start later. */
  private static final String LOST = "lost-generation";

  private final EtcdFolder keys;
  private final History history;

  /** The base of generation ids. */
  private long base;

  /** The latest generation id before changes were lost, as any controller knows; 0 if none were. */
  private long lost;

  private long published;
  private boolean isFollowing;

  Restoration(Etcd etcd, History history, Executor notifier) {
    this.keys = new EtcdFolder(etcd, FOLDER, notifier, PAUSE_MILLIS);
    this.history = history;
    history.onLoss(this::lose);
  }

  private synchronized void lose(long revision) {
    lost = GenerationIds.later(lost, base + revision);
  }

  /** Does what is due; to be called every second. May wait for etcd. */
  void tick() {
    try {
      follow();
      publish();
    } catch (IOException e) {
      logger.debug("cluster_keys_not_read", e); // the next call tries again
    }
  }

  private void follow() throws IOException {
    synchronized (this) {
      if (isFollowing) {
        return;
      }
      isFollowing = true;
    }
    try {
      keys.open(this::changed).forEach((name, value) -> changed(name, Optional.of(value)));
    } catch (IOException e) {
      synchronized (this) {
        isFollowing = false;
      }
      throw e;
    }
  }

  private void changed(String name, Optional<String> value) {
    boolean isAccepted;
    synchronized (this) {
      switch (name) {
        case BASE -> base = number(value);
        case LOST -> {
          published = number(value);
          lost = GenerationIds.later(lost, published);
        }
        default -> {
          return;
        }
      }
      isAccepted = isIn(base);
      history.setLostForPeers(!isAccepted);
    }
    if (isAccepted) {
      history.accept();
    }
  }

  /** Whether nothing was lost, or an id is as late as the greatest before that. */
  private boolean isIn(long id) {
    return GenerationIds.later(lost, id) == id;
  }

  private static long number(Optional<String> value) {
    try {
      return value.isPresent() ? Long.parseLong(value.get()) : 0;
    } catch (NumberFormatException e) {
      return 0; // the election reports it
    }
  }

  private void publish() throws IOException {
    long told;
    synchronized (this) {
      if (isIn(base) || isIn(published)) {
        return;
      }
      told = lost;
    }
    if (keys.put(LOST, Long.toString(told))) {
      synchronized (this) {
        published = GenerationIds.later(published, told);
      }
    }
  }

  /** The base that accepts etcd's state; 0 if no changes were lost. */
  synchronized long acceptingBase() {
    return lost;
  }

  @Override
  public void close() {
    keys.close();
  }

  /** A view with the problem, if there is one. */
  ClusterView withProblem(ClusterView view) {
    return history.isRefusing()
        ? view.with(
            new ClusterView.Problem(ClusterView.Problem.Kind.ETCD_BEHIND, history.description()))
        : view;
  }
}
