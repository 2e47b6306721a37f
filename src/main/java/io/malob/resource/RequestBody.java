package io.malob.resource;

import com.google.common.io.ByteStreams;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicReference;

/** The body of a request, which is read only if needed. */
@FunctionalInterface
public interface RequestBody {
  /** The default max size of a body. */
  int USUAL_BYTES = 64 * 1024;

  /**
   * The whole body; empty if there is none.
   *
   * @throws RejectedException if it is too large
   */
  byte[] bytes(int maxBytes) throws IOException, RejectedException;

  /** The whole body, up to the default max size. */
  default byte[] bytes() throws IOException, RejectedException {
    return bytes(USUAL_BYTES);
  }

  /** The same body, which can be read several times, with the same max size. For one thread. */
  default RequestBody kept() {
    AtomicReference<byte[]> read = new AtomicReference<>();
    return maxBytes -> {
      byte[] known = read.get();
      byte[] bytes = known == null ? bytes(maxBytes) : known;
      read.set(bytes);
      return bytes;
    };
  }

  /**
   * Reads a body. A part of a larger one is discarded, because many clients do not read before they
   * have sent.
   *
   * @throws RejectedException if it is larger than {@code maxBytes}
   */
  static byte[] read(InputStream in, int maxBytes) throws IOException, RejectedException {
    byte[] bytes = in.readNBytes(maxBytes + 1);
    if (bytes.length > maxBytes) {
      ByteStreams.exhaust(ByteStreams.limit(in, 1024 * 1024));
      throw new RejectedException(
          Reason.TOO_LARGE, "the body has more than " + maxBytes + " bytes", null);
    }
    return bytes;
  }
}
