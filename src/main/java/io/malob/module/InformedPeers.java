package io.malob.module;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The peers that follow a topic: a peer that is reached gets all, and from then on what is new. A
 * peer that does not take a message gets all again. For one thread at a time.
 */
public final class InformedPeers {
  private final IPeerService peers;
  private final PeerTopic topic;

  /** The peers that have got all, and get what is new. */
  private final Set<String> informed = new HashSet<>();

  /** The peers that were reached, and have not got all. */
  private final Set<String> behind = new HashSet<>();

  /** No peers. */
  public InformedPeers(IPeerService peers, PeerTopic topic) {
    this.peers = peers;
    this.topic = topic;
  }

  /** A peer is to get all. */
  public void reached(String peer) {
    informed.remove(peer);
    behind.add(peer);
  }

  /** A peer has gone. */
  public void lost(String peer) {
    informed.remove(peer);
    behind.remove(peer);
  }

  /** Whether no peer would get what is new. */
  public boolean isEmpty() {
    return informed.isEmpty();
  }

  /** Sends what is new. */
  public void sendNew(List<byte[]> messages) {
    Set.copyOf(informed).forEach(peer -> send(peer, messages));
  }

  /** Sends all to the peers that are behind, if there are any. */
  public void sendAll(Supplier<List<byte[]>> all) {
    if (!behind.isEmpty()) {
      List<byte[]> messages = all.get();
      Set<String> late = Set.copyOf(behind);
      behind.clear();
      informed.addAll(late);
      late.forEach(peer -> send(peer, messages));
    }
  }

  private void send(String peer, List<byte[]> messages) {
    for (byte[] message : messages) {
      if (!peers.send(peer, topic, message)) {
        reached(peer); // or lost() will be called soon
        return;
      }
    }
  }
}
