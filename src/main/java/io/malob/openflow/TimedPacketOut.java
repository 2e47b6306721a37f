package io.malob.openflow;

import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Sends a frame of the controller to a port, or back to the controller, with a callback when it is
 * written into the connection's buffer. The callback runs on the connection's thread, as late as
 * possible before the wire.
 */
public final class TimedPacketOut extends PacketOutMessage {
  private final OFPort port;
  private final Runnable written;

  /** A message that runs this when it is written; the callback must not block. */
  public TimedPacketOut(OFFactory factory, OFPort port, byte[] frame, Runnable written) {
    super(factory, frame);
    this.port = port;
    this.written = written;
  }

  @Override
  void writeActions(ByteBuf out) {
    written.run();
    WireFormat.output(out, port);
  }
}
