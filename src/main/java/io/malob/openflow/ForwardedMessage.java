package io.malob.openflow;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;

/** Reads messages of switches that another controller has forwarded. Pure. */
public final class ForwardedMessage {
  private ForwardedMessage() {}

  /**
   * The next message.
   *
   * @throws IllegalArgumentException if it is damaged, or has none of these types
   */
  public static OFMessage read(ByteBuffer bytes, Set<OFType> types) {
    @Nullable OFMessage message;
    try {
      message = OFFactories.getGenericReader().readFrom(Unpooled.wrappedBuffer(bytes));
    } catch (OFParseError | RuntimeException e) {
      throw new IllegalArgumentException("a damaged OpenFlow message: " + e, e);
    }
    if (message == null || !types.contains(message.getType())) {
      throw new IllegalArgumentException(
          message == null ? "an incomplete OpenFlow message" : "a " + message.getType());
    }
    return message;
  }
}
