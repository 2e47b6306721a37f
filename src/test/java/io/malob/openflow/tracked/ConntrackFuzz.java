package io.malob.openflow.tracked;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * Reads bytes as an action of connection tracking: it is malformed, or what was read can be written
 * in each version and is read again. In the form that Jazzer calls.
 */
public final class ConntrackFuzz {
  private ConntrackFuzz() {}

  /** Reads one action. */
  public static void fuzzerTestOneInput(byte[] action) {
    isRead(action);
  }

  /** Whether an action could be read. */
  static boolean isRead(byte[] action) {
    for (OFVersion version : List.of(OFVersion.OF_13, OFVersion.OF_15)) {
      ConntrackAction read;
      try {
        read = ConntrackReader.read(version, Unpooled.wrappedBuffer(action));
      } catch (OFParseError e) {
        return false;
      }
      check(read.toString().startsWith("ct("), "a text");
      ByteBuf written = Unpooled.buffer();
      read.writeTo(written);
      try {
        check(ConntrackReader.read(version, written).equals(read), "the same action: " + read);
      } catch (OFParseError e) {
        throw new AssertionError("what was written is not read: " + read, e);
      }
      check(!written.isReadable(), "no bytes behind the action");
    }
    return true;
  }

  private static void check(boolean holds, String expected) {
    if (!holds) {
      throw new AssertionError("expected " + expected);
    }
  }
}
