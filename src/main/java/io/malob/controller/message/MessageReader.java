package io.malob.controller.message;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMessageReader;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;

/** Reads the messages of one connection. Not safe for use by several threads. */
public final class MessageReader {
  private static final int VERSION_13 = OFVersion.OF_13.getWireVersion();
  private static final int VERSION_14 = OFVersion.OF_14.getWireVersion();
  private static final int VERSION_15 = OFVersion.OF_15.getWireVersion();

  /** The max number of ports with cached matches. */
  private static final int MAX_PORTS = 1_024;

  private final OFMessageReader<OFMessage> openflowj = OFFactories.getGenericReader();

  /** The matches of packet-ins with only the port, of one version, by port. */
  private final IntObjectMap<Match> portMatches = new IntObjectHashMap<>();

  private int versionOfMatches;

  /**
   * Reads one message, which the buffer holds from its reader index on, to its end; null if the
   * message is truncated.
   *
   * @throws OFParseError if it is not a message
   * @throws RuntimeException openflowj reports bad input by exceptions of many types
   */
  public @Nullable OFMessage read(ByteBuf message) throws OFParseError {
    int start = message.readerIndex();
    int version = message.getUnsignedByte(start);
    int type = message.getUnsignedByte(start + 1);
    if (type == LazyPacketIn.TYPE && version >= VERSION_13 && version <= VERSION_15) {
      int port = LazyPacketIn.port(message);
      if (port != LazyPacketIn.OTHER_MATCH) {
        return LazyPacketIn.read(message, portMatch(version, port));
      }
    }
    if (type == LazyFlowRemoved.TYPE && (version == VERSION_13 || version == VERSION_14)) {
      @Nullable OFMessage flowRemoved = LazyFlowRemoved.read(message);
      if (flowRemoved != null) {
        return flowRemoved;
      }
    }
    @Nullable OFMessage other = openflowj.readFrom(message);
    if (other instanceof OFPacketIn packetIn
        && packetIn.getMatch().get(MatchField.IN_PORT) == null) {
      throw new OFParseError("a packet-in without an ingress port");
    }
    return other;
  }

  private Match portMatch(int version, int port) {
    @Nullable Match known = version == versionOfMatches ? portMatches.get(port) : null;
    if (known != null) {
      return known;
    }
    if (version != versionOfMatches || portMatches.size() >= MAX_PORTS) {
      portMatches.clear();
      versionOfMatches = version;
    }
    Match match =
        OFFactories.getFactory(LazyMessage.version(version))
            .buildMatch()
            .setExact(MatchField.IN_PORT, OFPort.of(port))
            .build();
    portMatches.put(port, match);
    return match;
  }
}
