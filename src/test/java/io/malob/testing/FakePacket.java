package io.malob.testing;

import io.malob.openflow.tracked.ConntrackAction;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.U128;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;

/**
 * A frame in the pipeline of a fake switch, with the fields that are not in its bytes. Not safe for
 * use by several threads.
 */
final class FakePacket {
  private final OFPort inPort;
  private final MutableFrame frame;
  private U64 metadata = U64.ZERO;
  private Tracked tracked = Tracked.NOT;

  FakePacket(OFPort inPort, byte[] frame) {
    this.inPort = inPort;
    this.frame = new MutableFrame(frame);
  }

  /** Another packet, which is changed apart from this. */
  FakePacket copy() {
    FakePacket copy = new FakePacket(inPort, frame.copy());
    copy.metadata = metadata;
    copy.tracked = tracked;
    return copy;
  }

  OFPort inPort() {
    return inPort;
  }

  MutableFrame frame() {
    return frame;
  }

  int length() {
    return frame.length();
  }

  /** The value of a field; null if this packet has no such field. */
  @Nullable OFValueType<?> get(MatchField<?> field) {
    return switch (field.id) {
      case IN_PORT -> inPort;
      case METADATA -> OFMetadata.of(metadata);
      case CONN_TRACKING_STATE -> U32.of(tracked.state());
      case CONN_TRACKING_ZONE -> U16.of(tracked.zone());
      case CONN_TRACKING_MARK -> U32.ofRaw(tracked.mark());
      case CONN_TRACKING_LABEL -> U128.of(0, tracked.label());
      default -> frame.get(field);
    };
  }

  U64 metadata() {
    return metadata;
  }

  Tracked tracked() {
    return tracked;
  }

  /** The instruction write_metadata. */
  void writeMetadata(U64 value, U64 mask) {
    metadata = metadata.and(mask.inverse()).or(value.and(mask));
  }

  /** The action ct. */
  void track(FakeConntrack conntrack, ConntrackAction action) {
    tracked = conntrack.track(frame, tracked, action);
  }

  /** The fields of connection tracking are those of a packet that has not been tracked. */
  void untrack() {
    tracked = Tracked.NOT;
  }
}
