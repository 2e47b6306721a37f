package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.module.MastershipPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster's policy of mastership, which etcd has, so that all controllers have the same. The
 * first controller writes the one of its settings. All methods on one serial executor.
 */
final class PolicyKey {
  private static final Logger logger = LoggerFactory.getLogger(PolicyKey.class);

  private final Etcd etcd;
  private final Optional<MastershipPolicy> wanted;
  private final MirroredRange cluster;
  private final Transactions transactions;
  private final Executor serial;
  private volatile MastershipPolicy current = MastershipPolicy.SINGLE;
  private volatile boolean isKnown;
  private boolean isBeingWritten;

  PolicyKey(
      Etcd etcd,
      Optional<MastershipPolicy> wanted,
      MirroredRange cluster,
      Transactions transactions,
      Executor serial) {
    this.etcd = etcd;
    this.wanted = wanted;
    this.cluster = cluster;
    this.transactions = transactions;
    this.serial = serial;
  }

  /** The policy, {@code single} as long as it is not known. For any thread. */
  MastershipPolicy current() {
    return current;
  }

  /** Whether etcd has told it. For any thread. */
  boolean isKnown() {
    return isKnown;
  }

  /**
   * Takes the policy that etcd has.
   *
   * @return why this controller must not join the cluster; empty if it may
   */
  Optional<OtherPolicyException> read() {
    @Nullable Item item = cluster.get(Keys.MASTERSHIP);
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
                new OtherPolicyException(
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
    if (cluster.isKnown()
        && cluster.get(Keys.MASTERSHIP) == null
        && !isBeingWritten
        && !transactions.arePaused()) {
      isBeingWritten = true;
      transactions.commit(
          Set.of(),
          List.of(new Condition(Keys.MASTERSHIP, 0)),
          List.of(
              new Change.Put(
                  Keys.MASTERSHIP, (isKnown ? current : wanted.orElse(current)).label(), 0)),
          outcome -> {},
          () -> isBeingWritten = false);
    }
  }

  /** Sets the policy of the cluster. */
  void change(MastershipPolicy policy, CompletableFuture<MastershipPolicy> changed) {
    @Nullable Item item = cluster.get(Keys.MASTERSHIP);
    List<Condition> conditions =
        List.of(new Condition(Keys.MASTERSHIP, item == null ? 0 : item.modRevision()));
    var unused =
        etcd.commit(conditions, List.of(new Change.Put(Keys.MASTERSHIP, policy.label(), 0)))
            .whenCompleteAsync(
                (outcome, problem) -> {
                  if (problem != null || outcome == null) {
                    changed.completeExceptionally(
                        problem == null ? new IllegalStateException() : problem);
                  } else if (outcome.isDone()) {
                    changed.complete(policy);
                  } else {
                    cluster.learn(outcome, conditions);
                    change(policy, changed);
                  }
                },
                serial);
  }
}
