package io.malob.controller.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whether the pending output of a channel makes progress: the socket accepts no more data when its
 * buffer is full because the peer does not read. On the channel's thread only.
 */
final class UnsentBytes {
  private boolean waited;
  private int first;
  private long firstProgress;

  /** Whether any output that was pending at the last call has been sent since. */
  boolean haveMovedOn(Channel channel) {
    @Nullable ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    boolean waits = waiting != null && !waiting.isEmpty();
    int nowFirst = waits ? System.identityHashCode(waiting.current()) : 0;
    long nowProgress = waits ? waiting.currentProgress() : 0;
    boolean moved = waited && (!waits || nowFirst != first || nowProgress != firstProgress);
    waited = waits;
    first = nowFirst;
    firstProgress = nowProgress;
    return moved;
  }
}
