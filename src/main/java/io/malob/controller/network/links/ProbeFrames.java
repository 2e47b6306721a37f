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
 * Builds and recognises the LLDP frames (IEEE 802.1AB) that find links. An organisation's own TLV
 * carries the whole datapath id, the port, and a keyed digest of both: a frame of another system,
 * or one that a host made up, is not recognised. A host can still play back, elsewhere, the frame
 * that was sent to itself. Immutable, safe for use by several threads.
 */
public final class ProbeFrames {
  /** Where LLDP frames go: to the nearest bridge, which does not pass them on. */
  static final MacAddress DESTINATION = MacAddress.of("01:80:c2:00:00:0e");

  private static final int ETHERTYPE = 0x88cc;
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

  /** The probe that a port sends, from that address. */
  public byte[] frame(DatapathId switchId, OFPort port, MacAddress source) {
    ByteBuffer frame =
        ByteBuffer.allocate(FRAME_BYTES)
            .put(DESTINATION.getBytes())
            .put(source.getBytes())
            .putShort((short) ETHERTYPE);
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
        .put(digest(switchId, port));
    byte[] bytes = new byte[FRAME_BYTES]; // the last two stay zero: the end of the TLVs
    frame.flip().get(bytes, 0, frame.limit());
    return bytes;
  }

  private static ByteBuffer header(ByteBuffer frame, int type, int length) {
    return frame.putShort((short) (type << 9 | length));
  }

  /**
   * The port that sent this probe; empty if the frame is not, to the last byte, one that {@link
   * #frame} makes. Never throws.
   */
  public Optional<NodePortTuple> origin(byte[] frame) {
    if (frame.length != FRAME_BYTES) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(frame);
    DatapathId switchId = DatapathId.of(bytes.getLong(DPID_AT));
    OFPort port = OFPort.of(bytes.getInt(DPID_AT + Long.BYTES));
    MacAddress source = MacAddress.of(Arrays.copyOfRange(frame, SOURCE_AT, SOURCE_AT + 6));
    return MessageDigest.isEqual(frame, frame(switchId, port, source))
        ? Optional.of(new NodePortTuple(switchId, port))
        : Optional.empty();
  }

  /** Whether a frame is LLDP, ours or not. */
  public static boolean isLldp(byte[] frame) {
    return frame.length >= 14
        && (frame[12] & 0xff) == ETHERTYPE >> 8
        && (frame[13] & 0xff) == (ETHERTYPE & 0xff);
  }

  private byte[] digest(DatapathId switchId, OFPort port) {
    try {
      Mac mac = Mac.getInstance(DIGEST); // not safe for use by several threads, so one each time
      mac.init(key);
      mac.update(switchId.getBytes());
      byte[] digest = mac.doFinal(ByteBuffer.allocate(4).putInt(port.getPortNumber()).array());
      return Arrays.copyOf(digest, DIGEST_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + DIGEST, e);
    }
  }
}
