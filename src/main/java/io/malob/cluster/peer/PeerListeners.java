package io.malob.cluster.peer;

import io.malob.module.DropLog;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of other modules, by topic. Thread-safe. */
public final class PeerListeners {
  private static final Logger logger = LoggerFactory.getLogger(PeerListeners.class);

  private final Map<PeerTopic, PeerListener> byTopic = new ConcurrentHashMap<>();
  private final LongAdder damaged = new LongAdder();
  private final DropLog<Source> damagedLog =
      new DropLog<>(
          (source, count, why) ->
              logger.warn(
                  "peer_message_damaged peer={} topic={} times={} why=\"{}\"",
                  source.peer,
                  source.topic,
                  count,
                  why));

  private record Source(String peer, PeerTopic topic) {}

  /** Adds the listener of a topic. */
  public void add(PeerTopic topic, PeerListener listener) {
    if (byTopic.putIfAbsent(topic, listener) != null) {
      throw new IllegalStateException(topic + " has a listener already");
    }
  }

  void reached(String peer) {
    byTopic.keySet().forEach(topic -> call(topic, peer, listener -> listener.reached(peer)));
  }

  void lost(String peer) {
    byTopic.keySet().forEach(topic -> call(topic, peer, listener -> listener.lost(peer)));
  }

  void received(String peer, PeerTopic topic, ByteBuffer message) {
    call(
        topic,
        peer,
        listener -> {
          try {
            listener.received(peer, message);
          } catch (IllegalArgumentException | BufferUnderflowException e) {
            damaged.increment();
            damagedLog.note(new Source(peer, topic), e::toString);
          }
        });
  }

  /** The number of messages that no listener could read. */
  long damaged() {
    return damaged.sum();
  }

  /** Logs damaged messages; to be called every few seconds, by one thread. */
  void logDamaged(long nowNanos) {
    damagedLog.flush(nowNanos);
  }

  private void call(PeerTopic topic, String peer, Consumer<PeerListener> event) {
    @Nullable PeerListener listener = byTopic.get(topic);
    if (listener != null) {
      try {
        event.accept(listener);
      } catch (RuntimeException e) {
        logger.error("peer_listener_failed peer={} topic={}", peer, topic, e);
      }
    }
  }
}
