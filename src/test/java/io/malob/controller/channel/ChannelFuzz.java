package io.malob.controller.channel;

import io.netty.buffer.Unpooled;

/**
 * Gives bytes to the controller's end of a connection, as the first that a switch sends after its
 * handshake. Nothing may get past the last handler, and the connection ends like any other. In the
 * form that Jazzer calls.
 */
public final class ChannelFuzz {
  private ChannelFuzz() {}

  /** Takes the bytes of any number of messages. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    EmbeddedSwitch end = new EmbeddedSwitch() {};
    end.activate();
    end.channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    end.channel.checkException();
    if (end.channel.inboundMessages().size() > 0) {
      throw new AssertionError("nobody has taken " + end.channel.inboundMessages());
    }
    end.channel.finishAndReleaseAll();
    end.channel.checkException();
    if (!end.events.contains("disconnected")) {
      throw new AssertionError("still connected: " + end.events);
    }
  }
}
