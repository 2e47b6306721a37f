package io.malob.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** What becomes of messages on their way to a switch. */
public final class Wire {
  private Wire() {}

  /** A message as openflowj reads it from the bytes that were written. */
  public static OFMessage readBack(OFMessage message) {
    ConntrackWire conntrack = new ConntrackWire();
    return conntrack.show(readPlain(conntrack.hide(message)));
  }

  private static OFMessage readPlain(OFMessage message) {
    ByteBuf bytes = Unpooled.buffer();
    message.writeTo(bytes);
    try {
      OFMessage read = OFFactories.getGenericReader().readFrom(bytes);
      if (bytes.isReadable()) {
        throw new AssertionError(bytes.readableBytes() + " bytes too many: " + message);
      }
      return read;
    } catch (OFParseError e) {
      throw new AssertionError("not a message: " + message, e);
    }
  }
}
