package io.malob.balancer.bucket;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The clients of VIPs that are or may become proactive, and where they are: members' edges need a
 * rule for each. A client on the network is learned when it asks for the VIP's MAC address, others
 * from their first packet that reaches the controller. Thread-safe, without locks.
 */
public final class ProactiveClients {
  /** The max number of clients of a VIP address: each is a rule at each edge with members. */
  public static final int MAX = 10_000;

  private final Map<Integer, Map<Integer, Attachment>> byVip = new ConcurrentHashMap<>();
  private final AtomicBoolean isChanged = new AtomicBoolean();
  private final Runnable whenChanged;

  /**
   * No clients.
   *
   * @param whenChanged called, on any thread, when {@link #takeChanged} will return true
   */
  public ProactiveClients(Runnable whenChanged) {
    this.whenChanged = whenChanged;
  }

  /**
   * Learns where a client of a VIP is; false if the VIP has too many clients.
   *
   * @param vip the key of the VIP's address
   * @param client the key of the client's address
   */
  public boolean learn(int vip, int client, Attachment at) {
    Map<Integer, Attachment> clients = byVip.computeIfAbsent(vip, any -> new ConcurrentHashMap<>());
    @Nullable Attachment known = clients.get(client);
    if (at.equals(known)) {
      return true;
    }
    if (known == null && clients.size() >= MAX) {
      return false;
    }
    clients.put(client, at);
    if (isChanged.compareAndSet(false, true)) {
      whenChanged.run();
    }
    return true;
  }

  /** Follows a client that has moved; no effect on others. */
  public void moved(int client, Attachment at) {
    byVip.forEach(
        (vip, clients) -> {
          if (clients.containsKey(client)) {
            learn(vip, client, at);
          }
        });
  }

  /** Whether there were changes since the last call. */
  public boolean takeChanged() {
    return isChanged.getAndSet(false);
  }

  /** The clients of a VIP address, by their addresses. */
  public ImmutableMap<Integer, Attachment> of(int vip) {
    return ImmutableMap.copyOf(byVip.getOrDefault(vip, Map.of()));
  }

  /** Whether a client of a VIP is known. */
  public boolean isKnown(int vip, int client) {
    return byVip.getOrDefault(vip, Map.of()).containsKey(client);
  }

  /** Passes on the keys of all addresses that it holds. */
  public void addressKeys(IntConsumer keys) {
    byVip.forEach(
        (vip, clients) -> {
          keys.accept(vip);
          clients.keySet().forEach(keys::accept);
        });
  }

  /** Forgets the clients of other VIP addresses. */
  public void retain(Set<Integer> vips) {
    byVip.keySet().retainAll(vips);
  }
}
