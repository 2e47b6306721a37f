package io.malob.controller.network.links;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Builds and recognises the frames that find links: LLDP (IEEE 802.1AB), and the same as a
 * broadcast of another type. An organisation's own TLV carries the whole datapath id, the port, and
 * a keyed digest of these and the kind: a frame of another system, or one that a host made up, is
 * not recognised. A host can still play back, elsewhere, the frame that was sent to itself.
 * Immutable, safe for use by several threads.
 */
public final class ProbeFrames {
  private static final int FRAME_BYTES = 70;
  private static final int CHASSIS_ID = 1;
  private static final int CHASSIS_SUBTYPE_MAC = 4;
  private static final int PORT_ID = 2;
  private static final int PORT_SUBTYPE_LOCAL = 7;
  private static final int TIME_TO_LIVE = 3;
  private static final int SECONDS_TO_LIVE = 120;
  private static final int ORGANISATION = 127;
  private static final byte[] ORGANISATION_ID = {0x0a, 0x4d, 0x4c};
  private static final int ORGANISATION_SUBTYPE = 1;
  private static final int SOURCE_AT = 6;
  private static final int DPID_AT = 40;
  private static final int DIGEST_BYTES = 16;
  private static final String DIGEST = "HmacSHA256";

  private final SecretKeySpec key;

  /** Frames that only the holder of this key makes. */
  public ProbeFrames(byte[] key) {
    this.key = new SecretKeySpec(key, DIGEST);
  }

  /** Frames with a new key. */
  public static ProbeFrames withRandomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return new ProbeFrames(key);
  }

  /** A probe, and the port that sent it. */
  record Probe(ProbeKind kind, NodePortTuple from) {}

  /** The probe that a port sends, from that address. */
  public byte[] frame(ProbeKind kind, DatapathId switchId, OFPort port, MacAddress source) {
    ByteBuffer frame =
        ByteBuffer.allocate(FRAME_BYTES)
            .put(kind.destination().getBytes())
            .put(source.getBytes())
            .putShort((short) kind.etherType());
    header(frame, CHASSIS_ID, 7)
        .put((byte) CHASSIS_SUBTYPE_MAC)
        .putShort((short) (switchId.getLong() >>> 32))
        .putInt((int) switchId.getLong());
    header(frame, PORT_ID, 5).put((byte) PORT_SUBTYPE_LOCAL).putInt(port.getPortNumber());
    header(frame, TIME_TO_LIVE, 2).putShort((short) SECONDS_TO_LIVE);
    header(frame, ORGANISATION, 32)
        .put(ORGANISATION_ID)
        .put((byte) ORGANISATION_SUBTYPE)
        .putLong(switchId.getLong())
        .putInt(port.getPortNumber())
        .put(digest(kind, switchId, port));
    byte[] bytes = new byte[FRAME_BYTES]; // the last two stay zero: the end of the TLVs
    frame.flip().get(bytes, 0, frame.limit());
    return bytes;
  }

  private static ByteBuffer header(ByteBuffer frame, int type, int length) {
    return frame.putShort((short) (type << 9 | length));
  }

  /**
   * The probe that this frame is; empty if the frame is not, to the last byte, one that {@link
   * #frame} makes. Never throws.
   */
  Optional<Probe> read(byte[] frame) {
    if (frame.length != FRAME_BYTES) {
      return Optional.empty();
    }
    ProbeKind kind = hasType(frame, ProbeKind.LLDP) ? ProbeKind.LLDP : ProbeKind.BDDP;
    ByteBuffer bytes = ByteBuffer.wrap(frame);
    DatapathId switchId = DatapathId.of(bytes.getLong(DPID_AT));
    OFPort port = OFPort.of(bytes.getInt(DPID_AT + Long.BYTES));
    MacAddress source = MacAddress.of(Arrays.copyOfRange(frame, SOURCE_AT, SOURCE_AT + 6));
    return MessageDigest.isEqual(frame, frame(kind, switchId, port, source))
        ? Optional.of(new Probe(kind, new NodePortTuple(switchId, port)))
        : Optional.empty();
  }

  /** Whether a frame has the type of a probe, ours or not. */
  public static boolean isProbe(byte[] frame) {
    return hasType(frame, ProbeKind.LLDP) || hasType(frame, ProbeKind.BDDP);
  }

  private static boolean hasType(byte[] frame, ProbeKind kind) {
    return frame.length >= 14
        && (frame[12] & 0xff) == kind.etherType() >> 8
        && (frame[13] & 0xff) == (kind.etherType() & 0xff);
  }

  private byte[] digest(ProbeKind kind, DatapathId switchId, OFPort port) {
    try {
      Mac mac = Mac.getInstance(DIGEST); // not safe for use by several threads, so one each time
      mac.init(key);
      mac.update((byte) kind.etherType());
      mac.update(switchId.getBytes());
      byte[] digest = mac.doFinal(ByteBuffer.allocate(4).putInt(port.getPortNumber()).array());
      return Arrays.copyOf(digest, DIGEST_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + DIGEST, e);
    }
  }
}
