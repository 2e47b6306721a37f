package io.malob.module;

import java.nio.ByteBuffer;

/**
 * Receives what other controllers of the cluster send about one topic. The calls for one peer come
 * one after the other; they must not block.
 */
public interface PeerListener {
  /**
   * Messages reach the peer from now on. It knows nothing of those that were sent before: a sender
   * of changes begins with all that it has.
   */
  default void reached(String peer) {}

  /**
   * A message of the peer. The buffer is big-endian, and the listener's.
   *
   * @throws IllegalArgumentException or {@link java.nio.BufferUnderflowException} if the message is
   *     damaged: it has no effect, and is counted
   */
  void received(String peer, ByteBuffer message);

  /** The stream from or to the peer has broken. What it sent last may be lost. */
  default void lost(String peer) {}
}
