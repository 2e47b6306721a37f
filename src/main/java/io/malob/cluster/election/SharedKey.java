package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Item;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A key that only the controllers of the cluster know, for one purpose. If etcd has none, because
 * the cluster is new or an operator has deleted it, one of the controllers creates one, and all use
 * it from then on. All methods on one serial executor.
 */
final class SharedKey {
  private static final int BYTES = 32;

  private final String etcdKey;
  private final ElectionStore store;
  private final List<Consumer<byte[]>> followers = new ArrayList<>();
  private byte @Nullable [] key;

  /**
   * A key that is not known yet.
   *
   * @param etcdKey where etcd has it, in hexadecimal
   */
  SharedKey(String etcdKey, ElectionStore store) {
    this.etcdKey = etcdKey;
    this.store = store;
  }

  /** Passes the key on as soon as it is known, and each that replaces it. */
  void follow(Consumer<byte[]> follower) {
    followers.add(follower);
    byte[] known = key;
    if (known != null) {
      follower.accept(known);
    }
  }

  /** Takes the key that etcd has; without one, the former is used. */
  void read() {
    @Nullable Item item = store.cluster().get(etcdKey);
    if (item == null) {
      return;
    }
    try {
      byte[] now = HexFormat.of().parseHex(item.value());
      if (!Arrays.equals(now, key)) {
        key = now;
        followers.forEach(follower -> follower.accept(now));
      }
    } catch (IllegalArgumentException e) {
      Keys.unreadable(etcdKey, "not hexadecimal");
    }
  }

  /** Creates it if there is none; to be called regularly. */
  void tick() {
    store.createIfAbsent(
        etcdKey,
        () -> {
          byte[] created = new byte[BYTES];
          new SecureRandom().nextBytes(created);
          return HexFormat.of().formatHex(created);
        });
  }
}
