package io.malob.openflow;

import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;

/**
 * An echo request with a callback when it is written into the connection's buffer, like {@link
 * TimedPacketOut}.
 */
public final class TimedEchoRequest extends WireMessage {
  private final byte[] data;
  private final Runnable written;

  /** A request with this data that runs this when it is written; it must not block. */
  public TimedEchoRequest(OFFactory factory, byte[] data, Runnable written) {
    super(factory, OFType.ECHO_REQUEST);
    this.data = data;
    this.written = written;
  }

  @Override
  public int packetBytes() {
    return data.length;
  }

  @Override
  protected void writeBody(ByteBuf out) {
    written.run();
    out.writeBytes(data);
  }
}
