package io.malob.bench.load;

import io.netty.channel.Channel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The queued messages of one switch; many are sent in one write. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class Outbox {
  private byte[] bytes = new byte[16 * 1024];
  private int size;
  private int lastStart;
  private int xid;
  private @Nullable Channel channel;

  void connected(Channel newChannel) {
    channel = newChannel;
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

  /** Whether the connection accepts more without queueing. */
  boolean isWritable() {
    Channel open = channel;
    return open != null && open.isWritable();
  }

  byte[] bytes() {
    return bytes;
  }

  void append(byte[] message, int from, int length) {
    int at = append(length);
    System.arraycopy(message, from, bytes, at, length);
  }

  void flush() {
    Channel open = channel;
    if (size > 0 && open != null) {
      open.writeAndFlush(
          open.alloc().directBuffer(size).writeBytes(bytes, 0, size), open.voidPromise());
      size = 0;
    }
  }

  void close() {
    Channel open = channel;
    if (open != null) {
      open.close();
    }
  }
}
