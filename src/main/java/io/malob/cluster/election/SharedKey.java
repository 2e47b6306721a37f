package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The key that only the controllers of the cluster know: the first one creates it. All methods on
 * one serial executor.
 */
final class SharedKey {
  private static final int BYTES = 32;

  private final MirroredRange cluster;
  private final Transactions transactions;
  private final CompletableFuture<byte[]> key = new CompletableFuture<>();

  SharedKey(MirroredRange cluster, Transactions transactions) {
    this.cluster = cluster;
    this.transactions = transactions;
  }

  /** Completed as soon as it is known. */
  CompletableFuture<byte[]> known() {
    return key;
  }

  /** Takes the key that etcd has. */
  void read() {
    @Nullable Item item = cluster.get(Keys.PROBE_KEY);
    if (item == null) {
      return;
    }
    try {
      key.complete(HexFormat.of().parseHex(item.value()));
    } catch (IllegalArgumentException e) {
      Keys.unreadable(Keys.PROBE_KEY, "not hexadecimal");
    }
  }

  /** Creates it if there is none; to be called regularly. */
  void tick() {
    if (cluster.isKnown()
        && cluster.get(Keys.PROBE_KEY) == null
        && transactions.areNone()
        && !transactions.arePaused()) {
      byte[] created = new byte[BYTES];
      new SecureRandom().nextBytes(created);
      transactions.commit(
          Set.of(),
          List.of(new Condition(Keys.PROBE_KEY, 0)),
          List.of(new Change.Put(Keys.PROBE_KEY, HexFormat.of().formatHex(created), 0)),
          outcome -> {});
    }
  }
}
