package io.malob.openflow;

import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Sends a frame of the controller to a port, or back to the controller, with a callback when it is
 * written into the connection's buffer. The callback runs on the connection's thread, as late as
 * possible before the wire.
 */
public final class TimedPacketOut extends WireMessage {
  private final OFPort port;
  private final byte[] frame;
  private final Runnable written;

  /** A message that runs this when it is written; the callback must not block. */
  public TimedPacketOut(OFFactory factory, OFPort port, byte[] frame, Runnable written) {
    super(factory, OFType.PACKET_OUT);
    this.port = port;
    this.frame = frame;
    this.written = written;
  }

  @Override
  public int packetBytes() {
    return frame.length;
  }

  @Override
  void writeBody(ByteBuf out) {
    written.run();
    out.writeInt(WireFormat.NONE); // buffer
    if (getVersion().compareTo(OFVersion.OF_15) < 0) {
      out.writeInt(WireFormat.PORT_CONTROLLER);
      out.writeShort(WireFormat.ACTION_BYTES);
      out.writeZero(6);
    } else {
      out.writeShort(WireFormat.ACTION_BYTES);
      out.writeZero(2);
      WireFormat.matchController(out);
    }
    WireFormat.output(out, port);
    out.writeBytes(frame);
  }
}
