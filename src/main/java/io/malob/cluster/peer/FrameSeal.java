package io.malob.cluster.peer;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/**
 * Computes the seals of one direction's frames: an HMAC over the number of the frame, its length
 * and its body, truncated to half (RFC 2104, section 5). Used by one thread.
 */
final class FrameSeal {
  static final int BYTES = 16;

  private final Mac mac;
  private final ByteBuffer header = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
  private long frames;

  /** Seals that begin with frame 0. */
  FrameSeal(SecretKey key) {
    mac = Handshake.mac(key);
  }

  /** The seal of the next frame. */
  byte[] next(ByteBuf body) {
    header.clear().putLong(frames++).putInt(body.readableBytes()).flip();
    mac.update(header);
    mac.update(body.nioBuffer());
    return Arrays.copyOf(mac.doFinal(), BYTES);
  }

  /** Whether this is the seal of the next frame. */
  boolean isNext(ByteBuf body, byte[] seal) {
    return MessageDigest.isEqual(seal, next(body));
  }
}
