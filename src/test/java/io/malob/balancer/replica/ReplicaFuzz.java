package io.malob.balancer.replica;

import io.malob.algorithm.AddressKey;
import io.malob.module.FieldWriter;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads bytes as a message about connections: it is unreadable, or what was read can be written and
 * is read again. In the form that Jazzer calls.
 */
public final class ReplicaFuzz {
  /** Bounds what a long run keeps of the addresses that it makes up. */
  private static final int MAX_KEYS = 50_000;

  private ReplicaFuzz() {}

  /** Reads one message. */
  public static void fuzzerTestOneInput(byte[] message) {
    isRead(message);
    if (AddressKey.countOfIpv6() > MAX_KEYS) {
      AddressKey.sweep(0);
    }
  }

  /** Whether a message could be read. */
  static boolean isRead(byte[] message) {
    try {
      List<ReplicaEntry> entries = ReplicaFormat.read(ByteBuffer.wrap(message));
      FieldWriter written = new FieldWriter(0);
      ReplicaFormat.begin(written);
      entries.forEach(entry -> ReplicaFormat.FORMAT.write(entry, written));
      if (!ReplicaFormat.read(ByteBuffer.wrap(written.toBytes())).equals(entries)) {
        throw new AssertionError("expected the same entries: " + entries);
      }
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
