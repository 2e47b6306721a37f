package io.malob.openflow;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;

/**
 * A message that another controller has encoded, with a transaction id of this one. Its content is
 * written as it is.
 */
public final class EncodedMessage extends WireMessage {
  /** The bytes of the header of any message: version, type, length, transaction id. */
  public static final int HEADER_BYTES = 8;

  private final byte[] body;

  /**
   * A message of the factory's version.
   *
   * @param type PACKET_OUT, FLOW_MOD or GROUP_MOD
   * @param body what follows the header
   */
  public EncodedMessage(OFFactory factory, OFType type, ByteBuffer body) {
    super(factory, type);
    this.body = new byte[body.remaining()];
    body.duplicate().get(this.body);
  }

  @Override
  public int packetBytes() {
    return body.length;
  }

  @Override
  protected void writeBody(ByteBuf out) {
    out.writeBytes(body);
  }
}
