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
 * broadcast of another type. An organisation's own TLV carries the whole datapath id, the port, the
 * time, and a keyed digest of these and the kind: a frame of another system, or a frame that a host
 * has forged, is not recognised, and the receiver knows its age. Safe for use by several threads.
 */
public final class ProbeFrames {
  private static final int FRAME_BYTES = 78;
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
  private static final int ORGANISATION_AT = 34;
  private static final int DPID_AT = 40;
  private static final int PORT_AT = DPID_AT + Long.BYTES;
  private static final int TIME_AT = PORT_AT + Integer.BYTES;
  private static final int SIGNED_BYTES = Long.BYTES + Integer.BYTES + Long.BYTES;
  private static final int DIGEST_BYTES = 16;
  private static final String DIGEST = "HmacSHA256";

  /** One for each thread, because it is not thread-safe and slow to create. */
  @SuppressWarnings("ThreadLocalUsage") // of the key of this object, of which there is one
  private final ThreadLocal<Mac> macs;

  /** Frames with this key. */
  public ProbeFrames(byte[] key) {
    SecretKeySpec secret = new SecretKeySpec(key, DIGEST);
    macs = ThreadLocal.withInitial(() -> mac(secret));
  }

  private static Mac mac(SecretKeySpec key) {
    try {
      Mac mac = Mac.getInstance(DIGEST);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + DIGEST, e);
    }
  }

  /** Frames with a new key. */
  public static ProbeFrames withRandomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return new ProbeFrames(key);
  }

  /** A probe, the port that sent it, and when. */
  record Probe(ProbeKind kind, NodePortTuple from, long sentMillis) {}

  /** The probe that a port sends at that time, from that address. */
  public byte[] frame(ProbeKind kind, NodePortTuple from, MacAddress source, long millis) {
    return frame(
        kind, from.getNodeId().getLong(), from.getPortId().getPortNumber(), source, millis);
  }

  private byte[] frame(ProbeKind kind, long switchId, int port, MacAddress source, long millis) {
    ByteBuffer frame =
        ByteBuffer.allocate(FRAME_BYTES)
            .put(kind.destination().getBytes())
            .put(source.getBytes())
            .putShort((short) kind.etherType());
    header(frame, CHASSIS_ID, 7)
        .put((byte) CHASSIS_SUBTYPE_MAC)
        .putShort((short) (switchId >>> 32))
        .putInt((int) switchId);
    header(frame, PORT_ID, 5).put((byte) PORT_SUBTYPE_LOCAL).putInt(port);
    header(frame, TIME_TO_LIVE, 2).putShort((short) SECONDS_TO_LIVE);
    header(frame, ORGANISATION, ORGANISATION_ID.length + 1 + SIGNED_BYTES + DIGEST_BYTES)
        .put(ORGANISATION_ID)
        .put((byte) ORGANISATION_SUBTYPE);
    int signedAt = frame.position();
    frame.putLong(switchId).putInt(port).putLong(millis);
    frame.put(digest(kind, frame.array(), signedAt));
    byte[] bytes = new byte[FRAME_BYTES]; // the last two stay zero: the end of the TLVs
    frame.flip().get(bytes, 0, frame.limit());
    return bytes;
  }

  private static ByteBuffer header(ByteBuffer frame, int type, int length) {
    return frame.putShort((short) (type << 9 | length));
  }

  /**
   * The probe that this frame is; empty if the frame is not, to the last byte, a frame of {@link
   * #frame}. Never throws.
   */
  Optional<Probe> read(byte[] frame) {
    if (frame.length != FRAME_BYTES) {
      return Optional.empty();
    }
    ProbeKind kind = hasType(frame, ProbeKind.LLDP) ? ProbeKind.LLDP : ProbeKind.BDDP;
    ByteBuffer bytes = ByteBuffer.wrap(frame);
    long switchId = bytes.getLong(DPID_AT);
    int port = bytes.getInt(PORT_AT);
    long sentMillis = bytes.getLong(TIME_AT);
    MacAddress source = MacAddress.of(Arrays.copyOfRange(frame, SOURCE_AT, SOURCE_AT + 6));
    if (!MessageDigest.isEqual(frame, frame(kind, switchId, port, source, sentMillis))) {
      return Optional.empty();
    }
    // not before the check above: a forged number may be no valid port
    NodePortTuple from = new NodePortTuple(DatapathId.of(switchId), OFPort.of(port));
    return Optional.of(new Probe(kind, from, sentMillis));
  }

  /** Whether a frame has the type of a probe, of this controller or not. */
  public static boolean isProbe(byte[] frame) {
    return hasType(frame, ProbeKind.LLDP) || hasType(frame, ProbeKind.BDDP);
  }

  /** Whether a frame has the mark of a probe of this kind of controller, even if forged. */
  static boolean isMarked(byte[] frame) {
    return frame.length >= DPID_AT
        && Arrays.equals(
            frame,
            ORGANISATION_AT + 2,
            ORGANISATION_AT + 2 + ORGANISATION_ID.length,
            ORGANISATION_ID,
            0,
            ORGANISATION_ID.length);
  }

  private static boolean hasType(byte[] frame, ProbeKind kind) {
    return frame.length >= 14
        && (frame[12] & 0xff) == kind.etherType() >> 8
        && (frame[13] & 0xff) == (kind.etherType() & 0xff);
  }

  private byte[] digest(ProbeKind kind, byte[] frame, int signedAt) {
    Mac mac = macs.get();
    mac.update((byte) kind.etherType());
    mac.update(frame, signedAt, SIGNED_BYTES);
    return Arrays.copyOf(mac.doFinal(), DIGEST_BYTES);
  }
}
