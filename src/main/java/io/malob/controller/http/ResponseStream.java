package io.malob.controller.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A response of unknown length. Writing waits while the client does not read, up to the time limit;
 * after that, or if the thread is interrupted, the connection is closed. For one thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class ResponseStream extends OutputStream {
  private static final int BUFFER_BYTES = 16 * 1024;

  private final HttpConnection connection;
  private final long patienceNanos;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int length;

  ResponseStream(HttpConnection connection, long patienceNanos) {
    this.connection = connection;
    this.patienceNanos = patienceNanos;
  }

  @Override
  public void write(int oneByte) throws IOException {
    if (length == BUFFER_BYTES) {
      flush();
    }
    buffer[length++] = (byte) oneByte;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    int done = 0;
    while (done < count) {
      if (length == BUFFER_BYTES) {
        flush();
      }
      int piece = Math.min(count - done, BUFFER_BYTES - length);
      System.arraycopy(bytes, offset + done, buffer, length, piece);
      length += piece;
      done += piece;
    }
  }

  @Override
  public void flush() throws IOException {
    if (length == 0) {
      return;
    }
    try {
      if (!connection.awaitWritable(patienceNanos)) {
        connection.giveUp();
        throw new IOException("The client does not read the response, or has disconnected");
      }
    } catch (InterruptedException e) {
      connection.giveUp();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The response was abandoned");
    }
    connection
        .channel()
        .writeAndFlush(
            new DefaultHttpContent(Unpooled.wrappedBuffer(Arrays.copyOf(buffer, length))));
    length = 0;
  }

  /** Sends the rest; the end of the response is a separate call to the connection. */
  @Override
  public void close() throws IOException {
    flush();
  }
}
