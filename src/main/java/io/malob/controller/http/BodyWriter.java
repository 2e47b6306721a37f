package io.malob.controller.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;

/** Sends a body in memory at the client's pace. On the event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class BodyWriter {
  private static final int PIECE_BYTES = 32 * 1024;

  private final Channel channel;
  private final byte[] body;
  private final Runnable onProgress;
  private final Runnable onEnd;
  private int sentLength;
  private boolean isLastSent;
  private boolean isWriting;

  /**
   * A writer of this body.
   *
   * @param onProgress runs after each piece
   * @param onEnd runs after the last one
   */
  BodyWriter(Channel channel, byte[] body, Runnable onProgress, Runnable onEnd) {
    this.channel = channel;
    this.body = body;
    this.onProgress = onProgress;
    this.onEnd = onEnd;
  }

  /** Writes as much as the client accepts. A write may trigger a change of writability. */
  void write() {
    if (isWriting) {
      return;
    }
    isWriting = true;
    do {
      writeOnce();
    } while (sentLength < body.length && channel.isWritable());
    isWriting = false;
  }

  private void writeOnce() {
    while (sentLength < body.length && channel.isWritable()) {
      int length = Math.min(PIECE_BYTES, body.length - sentLength);
      channel.write(new DefaultHttpContent(Unpooled.wrappedBuffer(body, sentLength, length)));
      sentLength += length;
      onProgress.run();
    }
    if (sentLength == body.length && !isLastSent) {
      isLastSent = true;
      channel.write(LastHttpContent.EMPTY_LAST_CONTENT).addListener(any -> onEnd.run());
    }
    channel.flush();
  }
}
