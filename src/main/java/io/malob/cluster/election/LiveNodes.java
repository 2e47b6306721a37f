package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.MirroredRange;
import io.malob.cluster.peer.PeerAddress;
import io.malob.file.DamagedException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live controllers, as their keys describe them, and the links that follow them. All methods on
 * one serial executor.
 */
final class LiveNodes {
  private static final Logger logger = LoggerFactory.getLogger(LiveNodes.class);

  private final Etcd etcd;
  private final String name;
  private final Map<String, Node> byName = new TreeMap<>();
  private @Nullable Consumer<Set<PeerAddress>> follower;

  LiveNodes(Etcd etcd, String name) {
    this.etcd = etcd;
    this.name = name;
  }

  /** All of them, this one too, by name. */
  Collection<Node> all() {
    return byName.values();
  }

  /** All but this one. */
  Stream<Node> others() {
    return byName.values().stream().filter(node -> !node.name().equals(name));
  }

  /** A controller's key was set, or deleted; all were read anew if it is null. */
  void changed(@Nullable String key, MirroredRange now) {
    if (key == null) {
      byName.clear();
      now.all().forEach(this::parse);
    } else {
      byName.remove(key.substring(Keys.NODES.length()));
      parse(now.get(key));
    }
    followPeers();
  }

  private void parse(@Nullable Item item) {
    if (item == null) {
      return;
    }
    try {
      Node node = Node.of(item);
      byName.put(node.name(), node);
    } catch (DamagedException e) {
      Keys.unreadable(item.key(), String.valueOf(e.getMessage()));
    }
  }

  /** Has these links follow the other controllers from now on. */
  void followWith(Consumer<Set<PeerAddress>> newFollower) {
    follower = newFollower;
    followPeers();
  }

  private void followPeers() {
    @Nullable Consumer<Set<PeerAddress>> following = follower;
    if (following != null) {
      following.accept(others().flatMap(node -> node.peer().stream()).collect(Collectors.toSet()));
    }
  }

  /** The controller that others reach there. */
  Optional<Node> at(PeerAddress peer) {
    return byName.values().stream()
        .filter(node -> node.peer().equals(Optional.of(peer)))
        .findFirst();
  }

  /**
   * The process of another controller has ended. Its lease is ended for it, so that its switches
   * get their next master at once. Were it alive after all, it would join again.
   */
  void ended(Node node) {
    logger.warn("cluster_peer_ended node={}", node.name());
    var unused = etcd.revoke(node.lease());
  }
}
