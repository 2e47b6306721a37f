package io.malob.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The queued messages of one switch, for all its controllers; many are sent in one write. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class Outbox {
  private byte[] bytes = new byte[16 * 1024];
  private int size;
  private int lastStart;
  private int xid;
  private final List<Channel> channels = new ArrayList<>(1);

  void connected(Channel channel) {
    channels.add(channel);
  }

  void disconnected(Channel channel) {
    channels.remove(channel);
  }

  int nextXid() {
    return ++xid;
  }

  /** Reserves space for a message of that length; call {@link #bytes} after that. */
  int append(int length) {
    int at = size;
    lastStart = at;
    if (at + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * (at + length));
    }
    size = at + length;
    return at;
  }

  /** The offset of the last reserved message. */
  int lastStart() {
    return lastStart;
  }

  /** Whether its connections accept more without queueing. */
  boolean isWritable() {
    for (Channel channel : channels) {
      if (!channel.isWritable()) {
        return false;
      }
    }
    return !channels.isEmpty();
  }

  byte[] bytes() {
    return bytes;
  }

  void append(byte[] message, int from, int length) {
    int at = append(length);
    System.arraycopy(message, from, bytes, at, length);
  }

  /** Sends what is queued, to each controller; it waits while there is none. */
  void flush() {
    if (size > 0 && !channels.isEmpty()) {
      for (Channel channel : channels) {
        ByteBuf buffer = channel.alloc().directBuffer(size);
        channel.writeAndFlush(buffer.writeBytes(bytes, 0, size), channel.voidPromise());
      }
      size = 0;
    }
  }

  void close() {
    List.copyOf(channels).forEach(Channel::close);
  }
}
