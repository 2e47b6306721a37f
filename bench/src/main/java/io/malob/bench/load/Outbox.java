package io.malob.bench.load;

import io.netty.channel.Channel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The messages that one switch is about to send; many leave in one write. */
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

  /** Makes room for a message of that length; {@link #bytes} is to be asked for after that. */
  int append(int length) {
    int at = size;
    lastStart = at;
    if (at + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * (at + length));
    }
    size = at + length;
    return at;
  }

  /** Where the message begins that room was made for last. */
  int lastStart() {
    return lastStart;
  }

  /** Whether the connection takes more without keeping it for later. */
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
