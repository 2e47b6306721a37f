package io.malob.cluster.peer;

import io.malob.module.PeerTopic;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The messages that wait for one stream, in order. Any thread adds, one takes. */
final class Outbox {
  /** The max size of what waits, in bytes. */
  static final long MAX_BYTES = 64L << 20;

  /** What a small message takes in memory, besides its bytes. */
  private static final int OVERHEAD = 64;

  private final Queue<Message> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();

  /** A message and its topic. */
  static final class Message {
    final PeerTopic topic;
    final byte[] content;

    /** The content is not changed afterwards. */
    Message(PeerTopic topic, byte[] content) {
      this.topic = topic;
      this.content = content;
    }

    /** Its size in the outbox. */
    long size() {
      return (long) content.length + OVERHEAD;
    }
  }

  /** Adds a message; false, and nothing else, if too much waits already. */
  boolean add(Message message) {
    if (bytes.addAndGet(message.size()) > MAX_BYTES) {
      release(message.size());
      return false;
    }
    waiting.add(message);
    return true;
  }

  /** The next message, which stays. */
  @Nullable Message peek() {
    return waiting.peek();
  }

  /** Takes the message that {@link #peek} has given; it counts until {@link #release}. */
  void take() {
    waiting.remove();
  }

  /** These bytes have been sent. */
  void release(long size) {
    bytes.addAndGet(-size);
  }

  /** The size of the messages that wait or are being sent, in bytes. */
  long bytes() {
    return bytes.get();
  }
}
