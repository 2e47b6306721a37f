package io.malob.openflow;

import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Puts a frame of the controller's own out at a port, or gives it back to the controller, and tells
 * when it is written into the connection's buffer. That is on the connection's thread, and later
 * than when it is handed over: as near to the wire as a module comes.
 */
public final class TimedPacketOut extends WireMessage {
  private final OFPort port;
  private final byte[] frame;
  private final Runnable written;

  /** A message that runs this when it is written; it must not block. */
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
