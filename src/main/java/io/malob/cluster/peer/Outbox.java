package io.malob.cluster.peer;

import io.malob.module.PeerTopic;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The messages that wait for one stream. Those of bulk topics leave when no others wait, so a
 * snapshot of all connections delays neither packets nor rules, and leaves them their room. Each
 * topic is in order. Any thread adds, one takes.
 */
final class Outbox {
  /** The max size of what waits, in bytes, for bulk topics and for the others. */
  static final long MAX_BYTES = 64L << 20;

  /** What a small message takes in memory, besides its bytes. */
  private static final int OVERHEAD = 64;

  private final Lane usual = new Lane();
  private final Lane bulk = new Lane();

  private static final class Lane {
    final Queue<Message> waiting = new ConcurrentLinkedQueue<>();
    final AtomicLong bytes = new AtomicLong();

    void release(long size) {
      bytes.addAndGet(-size);
    }
  }

  /** A message and its topic; the content is not changed afterwards. */
  @SuppressWarnings("ArrayRecordComponent") // messages are not compared
  record Message(PeerTopic topic, byte[] content) {
    private long size() {
      return (long) content.length + OVERHEAD;
    }
  }

  /** Takes the message that {@link #peek} has given; it counts until {@link #sent}. */
  void take(Message message) {
    lane(message.topic).waiting.remove();
  }

  /** These have been sent. */
  void sent(Collection<Message> messages) {
    messages.forEach(message -> lane(message.topic).release(message.size()));
  }

  private Lane lane(PeerTopic topic) {
    return topic.isBulk() ? bulk : usual;
  }

  /** Adds a message; false, and nothing else, if too much waits already. */
  boolean add(Message message) {
    Lane lane = lane(message.topic);
    if (lane.bytes.addAndGet(message.size()) > MAX_BYTES) {
      lane.release(message.size());
      return false;
    }
    lane.waiting.add(message);
    return true;
  }

  /** The next message, which stays. */
  @Nullable Message peek() {
    @Nullable Message first = usual.waiting.peek();
    return first == null ? bulk.waiting.peek() : first;
  }

  /** The size of the messages that wait or are being sent, in bytes. */
  long bytes() {
    return usual.bytes.get() + bulk.bytes.get();
  }
}
