package io.malob.latency;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Builds and recognises probe frames. They have a type that IEEE 802 leaves for local experiments,
 * a group address of MALOB's own, so that legacy switches between two OpenFlow switches forward
 * them, the number of the run that sent them, their own number, and a keyed digest of it (SipHash),
 * so that hosts cannot forge them. Immutable, safe for use by several threads.
 */
final class ProbeFrames {
  /** IEEE Std 802 - Local Experimental Ethertype 1. */
  static final int ETHER_TYPE = 0x88b5;

  /** The min frame of Ethernet, without its check sequence. */
  static final int FRAME_BYTES = 60;

  /** Locally administered; no label (0a:4d:4c) and no switch's port has such an address. */
  private static final long DESTINATION = 0x0b_4d_4c_00_00_02L;

  private static final long SOURCE = 0x0e_4d_4c_00_00_00L;
  private static final int TYPE_AT = 12;
  private static final int TYPE_AND_MAGIC_BYTES = 6;
  private static final long TYPE_AND_MAGIC = 0x88b5_4d4c_4154L;
  private static final int RUN_AT = TYPE_AT + TYPE_AND_MAGIC_BYTES;
  private static final int NUMBER_AT = RUN_AT + Long.BYTES;
  private static final int DIGEST_AT = NUMBER_AT + Long.BYTES;
  private static final int USED_BYTES = DIGEST_AT + Long.BYTES;
  private static final int ECHO_BYTES = 2 * Long.BYTES;

  private final long run;
  private final HashFunction keyed;

  /** Frames of one run of the controller: its number and its key are random. */
  ProbeFrames(LongSupplier random) {
    run = random.getAsLong();
    keyed = Hashing.sipHash24(random.getAsLong(), random.getAsLong());
  }

  /** The frame of that number, as this port of this switch sends it. */
  byte[] frame(long number, DatapathId switchId, OFPort port) {
    byte[] bytes = new byte[FRAME_BYTES];
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    putAddress(frame, DESTINATION);
    // an address per port; otherwise legacy switches see one address moving between ports
    long sender = switchId.getLong() * 0x9e3779b97f4a7c15L + port.getPortNumber();
    putAddress(frame, SOURCE | (sender * 0x9e3779b97f4a7c15L) >>> 40);
    frame
        .putShort((short) ETHER_TYPE)
        .putInt((int) TYPE_AND_MAGIC)
        .putLong(run)
        .putLong(number)
        .putLong(digest(number));
    return bytes;
  }

  /** The payload of an echo request of that number, which its answer returns. */
  byte[] echo(long number) {
    return ByteBuffer.allocate(ECHO_BYTES).putLong(run).putLong(number).array();
  }

  /** Whether an echo was answered that this run has sent. */
  boolean isEcho(byte[] data) {
    return data.length == ECHO_BYTES && ByteBuffer.wrap(data).getLong() == run;
  }

  /** The number of an echo of this run. */
  static long echoNumber(byte[] data) {
    return ByteBuffer.wrap(data).getLong(Long.BYTES);
  }

  private static void putAddress(ByteBuffer frame, long address) {
    frame.putShort((short) (address >>> 32)).putInt((int) address);
  }

  private long digest(long number) {
    return keyed.hashLong(number).asLong();
  }

  /**
   * Whether it looks like a probe, of this run or not: cheap, because it is called for every
   * packet.
   */
  static boolean isProbe(byte[] frame) {
    return frame.length >= TYPE_AT + TYPE_AND_MAGIC_BYTES
        && frame[TYPE_AT] == (byte) (ETHER_TYPE >> 8)
        && frame[TYPE_AT + 1] == (byte) ETHER_TYPE
        && ByteBuffer.wrap(frame).getInt(TYPE_AT + 2) == (int) TYPE_AND_MAGIC;
  }

  /** Why a frame that looks like a probe is not one of this run; null if it is. */
  @Nullable Discard problem(byte[] frame) {
    if (frame.length < USED_BYTES) {
      return Discard.MALFORMED;
    }
    ByteBuffer bytes = ByteBuffer.wrap(frame);
    if (bytes.getLong(RUN_AT) != run) {
      return Discard.FOREIGN;
    }
    return bytes.getLong(DIGEST_AT) == digest(bytes.getLong(NUMBER_AT)) ? null : Discard.FORGED;
  }

  /** The number of a probe of this run. */
  static long number(byte[] frame) {
    return ByteBuffer.wrap(frame).getLong(NUMBER_AT);
  }
}
