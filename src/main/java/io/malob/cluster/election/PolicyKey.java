package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Item;
import io.malob.module.MastershipPolicy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster's policy of mastership, which etcd has, so that all controllers have the same. The
 * first controller writes the one of its settings. All methods on one serial executor.
 */
final class PolicyKey {
  private static final Logger logger = LoggerFactory.getLogger(PolicyKey.class);

  private final Optional<MastershipPolicy> wanted;
  private final ElectionStore store;
  private volatile MastershipPolicy current = MastershipPolicy.SINGLE;
  private volatile boolean isKnown;

  PolicyKey(Optional<MastershipPolicy> wanted, ElectionStore store) {
    this.wanted = wanted;
    this.store = store;
  }

  /** The policy, {@code single} as long as it is not known. For any thread. */
  MastershipPolicy current() {
    return current;
  }

  /** Whether etcd has reported it. For any thread. */
  boolean isKnown() {
    return isKnown;
  }

  /**
   * Takes the policy that etcd has.
   *
   * @return why this controller must not join the cluster; empty if it may
   */
  Optional<NotJoinedException> read() {
    @Nullable Item item = store.cluster().get(Keys.MASTERSHIP);
    if (item == null) {
      return Optional.empty();
    }
    Optional<MastershipPolicy> stored = MastershipPolicy.named(item.value());
    if (stored.isEmpty()) {
      Keys.unreadable(Keys.MASTERSHIP, "neither single nor spread");
    }
    boolean isFirst = !isKnown;
    MastershipPolicy now = stored.orElse(current);
    if (now != current) {
      logger.info("cluster_mastership policy={}", now.label());
    }
    current = now;
    isKnown = true;
    // later it is an operator who has changed it
    return wanted
        .filter(setting -> isFirst && setting != now)
        .map(
            setting ->
                new NotJoinedException(
                    "the setting mastership of this controller is \""
                        + setting.label()
                        + "\", but the cluster's is \""
                        + now.label()
                        + "\": change the setting, or the cluster by './malob cluster mastership "
                        + setting.label()
                        + "'"));
  }

  /** Writes the setting if the cluster has no policy yet; to be called regularly. */
  void tick() {
    store.createIfAbsent(
        Keys.MASTERSHIP, () -> (isKnown ? current : wanted.orElse(current)).label());
  }

  /** Sets the policy of the cluster. */
  CompletableFuture<MastershipPolicy> change(MastershipPolicy policy) {
    return store
        .update(Keys.MASTERSHIP, () -> Optional.of(policy.label()))
        .thenApply(done -> policy);
  }
}
