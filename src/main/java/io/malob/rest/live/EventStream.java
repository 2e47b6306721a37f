package io.malob.rest.live;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.malob.resource.StreamedBody;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events of the HTML standard for one listener: {@code state} when the state has
 * changed, {@code rates} with new numbers. The sending thread is occupied until the listener
 * disconnects.
 */
record EventStream(LiveFeed.Listener listener) implements StreamedBody {
  /** The time after which a browser reconnects. */
  private static final byte[] RETRY = "retry: 3000\n\n".getBytes(US_ASCII);

  @Override
  public String mediaType() {
    return "text/event-stream";
  }

  @Override
  public void write(OutputStream out) throws IOException {
    try (listener) {
      send(out, RETRY);
      String stateTag = "";
      for (LiveFrames frames = next(); frames != null; frames = next()) {
        if (!frames.state().tag().equals(stateTag)) {
          stateTag = frames.state().tag();
          send(out, event("state", frames.state()));
        }
        send(out, event("rates", frames.rates()));
      }
    } finally {
      // the thread is reused, and must not stay interrupted
      Thread.interrupted();
    }
  }

  private @Nullable LiveFrames next() {
    try {
      return listener.next();
    } catch (InterruptedException e) {
      return null;
    }
  }

  private void send(OutputStream out, byte[]... pieces) throws IOException {
    listener.beginWrite();
    try {
      for (byte[] piece : pieces) {
        out.write(piece);
      }
      out.flush();
    } finally {
      listener.endWrite();
    }
  }

  private static byte[][] event(String name, LiveFrames.Part part) {
    String head = "event: " + name + "\nid: " + part.tag() + "\ndata: ";
    return new byte[][] {head.getBytes(US_ASCII), part.json(), "\n\n".getBytes(US_ASCII)};
  }

  @Override
  public void close() {
    listener.close();
  }
}
