package io.malob.testing;

import com.google.common.collect.ImmutableSet;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Streams between controllers of one test, on its thread: messages arrive at once. */
public final class PeerNetwork {
  private final Map<String, Peer> peers = new TreeMap<>();

  /** The number of messages that have arrived. */
  public int messages;

  /** The streams of a controller; it reaches no other yet. */
  public Peer peer(String name) {
    return peers.computeIfAbsent(name, Peer::new);
  }

  /** Connects two controllers. */
  public void connect(Peer a, Peer b) {
    a.reached.add(b.name);
    b.reached.add(a.name);
    a.listeners.values().forEach(each -> each.reached(b.name));
    b.listeners.values().forEach(each -> each.reached(a.name));
  }

  /** Breaks the streams between two controllers. */
  public void disconnect(Peer a, Peer b) {
    a.reached.remove(b.name);
    b.reached.remove(a.name);
    a.listeners.values().forEach(each -> each.lost(b.name));
    b.listeners.values().forEach(each -> each.lost(a.name));
  }

  /** The streams of one controller. */
  public final class Peer implements IPeerService {
    private final String name;
    private final Map<PeerTopic, PeerListener> listeners = new EnumMap<>(PeerTopic.class);
    private final Set<String> reached = new HashSet<>();

    /** Whether it takes no messages at present, as with a full queue. */
    public boolean isFull;

    private Peer(String name) {
      this.name = name;
    }

    @Override
    public void listen(PeerTopic topic, PeerListener listener) {
      listeners.put(topic, listener);
    }

    @Override
    public boolean send(String peer, PeerTopic topic, byte[] message) {
      if (isFull || !reached.contains(peer)) {
        return false;
      }
      messages++;
      PeerListener listener = peers.get(peer).listeners.get(topic);
      if (listener != null) {
        listener.received(name, ByteBuffer.wrap(message));
      }
      return true;
    }

    @Override
    public ImmutableSet<String> reached() {
      return ImmutableSet.copyOf(reached);
    }
  }
}
