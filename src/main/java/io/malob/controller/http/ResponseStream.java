package io.malob.controller.http;

import io.malob.resource.StreamedBody;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A response of unknown length. Writing waits while the client does not read, up to the time limit;
 * after that, or if the thread is interrupted, the connection is closed. For one thread, except
 * where noted.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class ResponseStream extends OutputStream {
  private static final Logger logger = LoggerFactory.getLogger(ResponseStream.class);
  private static final int PIECE_BYTES = 16 * 1024;

  private final HttpConnection connection;
  private final long maxWaitNanos;
  private final LongSupplier nanoTime;
  private final long startNanos;

  private final Object writability = new Object();
  private final AtomicLong waitedNanos = new AtomicLong();
  private volatile long waitingSinceNanos = HttpConnection.NEVER;

  ResponseStream(HttpConnection connection, long maxWaitNanos, LongSupplier nanoTime) {
    this.connection = connection;
    this.maxWaitNanos = maxWaitNanos;
    this.nanoTime = nanoTime;
    startNanos = nanoTime.getAsLong();
  }

  /**
   * Sends a whole body, and closes it.
   *
   * @param uri of the request
   */
  void send(StreamedBody body, String uri) {
    boolean isComplete = false;
    try (body) {
      OutputStream pieces = new BufferedOutputStream(this, PIECE_BYTES);
      body.write(pieces);
      isComplete = true;
      pieces.flush();
    } catch (IOException e) {
      // the client has disconnected, or has not read it in time
    } catch (RuntimeException e) {
      logger.error("response_failed uri=\"{}\"", uri, e);
    } finally {
      connection.endStream(isComplete);
    }
  }

  @Override
  public void write(int oneByte) throws IOException {
    write(new byte[] {(byte) oneByte}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    for (int at = 0; at < count; at += PIECE_BYTES) {
      int end = Math.min(count, at + PIECE_BYTES);
      send(Arrays.copyOfRange(bytes, offset + at, offset + end));
    }
  }

  private void send(byte[] piece) throws IOException {
    try {
      if (!awaitWritable()) {
        connection.giveUp();
        throw new IOException("The client does not read the response, or has disconnected");
      }
    } catch (InterruptedException e) {
      connection.giveUp();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The response was abandoned");
    }
    connection.channel().writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
  }

  /** Waits until the channel accepts more or is closed; returns whether it accepts more. */
  private boolean awaitWritable() throws InterruptedException {
    long start = nanoTime.getAsLong();
    waitingSinceNanos = start;
    try {
      synchronized (writability) {
        while (connection.channel().isActive() && !connection.channel().isWritable()) {
          long left = start + maxWaitNanos - nanoTime.getAsLong();
          if (left <= 0) {
            return false;
          }
          TimeUnit.NANOSECONDS.timedWait(writability, left);
        }
      }
    } finally {
      waitedNanos.addAndGet(nanoTime.getAsLong() - start);
      waitingSinceNanos = HttpConnection.NEVER;
    }
    return connection.channel().isActive();
  }

  /** The channel accepts more, or is closed; any thread. */
  void wake() {
    synchronized (writability) {
      writability.notifyAll();
    }
  }

  /**
   * How long it has waited for its client; 0 if it has done something else for as long. Any thread.
   */
  long waitNanos(long now) {
    long since = waitingSinceNanos;
    long waited = waitedNanos.get() + (since == HttpConnection.NEVER ? 0 : now - since);
    return 2 * waited > now - startNanos ? waited : 0;
  }
}
