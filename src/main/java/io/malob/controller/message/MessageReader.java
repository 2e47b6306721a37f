package io.malob.controller.message;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
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
  private static final int VERSION_15 = OFVersion.OF_15.getWireVersion();

  /** Where the match of a FLOW_REMOVED starts in OpenFlow 1.5. */
  private static final int MATCH_OF_FLOW_REMOVED_15 = 24;

  /** The max number of ports with cached matches. */
  private static final int MAX_PORTS = 1_024;

  private final OFMessageReader<OFMessage> openflowj = OFFactories.getGenericReader();

  /** The matches of packet-ins with only the port, of one version, by port. */
  private final IntObjectMap<Match> portMatches = new IntObjectHashMap<>();

  private int versionOfMatches;

  /** Of the version of the latest message that needed them. */
  private @Nullable KnownFields fields;

  private int versionOfFields;

  /**
   * Reads one message, which the buffer holds from its reader index on, to its end; null if the
   * message is truncated. Match fields, actions and instructions that openflowj does not know are
   * left out.
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
        return new LazyPacketIn(message, portMatch(version, port));
      }
      if (!fields(version).areAllIn(message, start + LazyPacketIn.MATCH_OFFSET)) {
        return read(knownParts(message, version, LazyPacketIn.MATCH_OFFSET));
      }
    }
    if (type == LazyFlowRemoved.TYPE && version >= VERSION_13 && version <= VERSION_15) {
      boolean is15 = version == VERSION_15;
      int match = is15 ? MATCH_OF_FLOW_REMOVED_15 : LazyFlowRemoved.MATCH_OFFSET;
      if (!fields(version).areAllIn(message, start + match)) {
        return read(knownParts(message, version, match));
      }
      @Nullable OFMessage flowRemoved = is15 ? null : LazyFlowRemoved.read(message);
      if (flowRemoved != null) {
        return flowRemoved;
      }
    }
    @Nullable OFMessage other = readOther(message);
    if (other instanceof OFPacketIn packetIn
        && packetIn.getMatch().get(MatchField.IN_PORT) == null) {
      throw new OFParseError("a packet-in without an ingress port");
    }
    return other;
  }

  private @Nullable OFMessage readOther(ByteBuf message) throws OFParseError {
    int start = message.readerIndex();
    try {
      return openflowj.readFrom(message);
    } catch (OFParseError | RuntimeException e) {
      message.readerIndex(start);
      int version = message.getUnsignedByte(start);
      if (version < VERSION_13 || version > VERSION_15 || !KnownParts.areFoundIn(message)) {
        throw e;
      }
      ByteBuf known = KnownParts.ofStats(message, factory(version), fields(version));
      message.readerIndex(message.writerIndex());
      return openflowj.readFrom(known);
    }
  }

  private ByteBuf knownParts(ByteBuf message, int version, int match) throws OFParseError {
    ByteBuf known = KnownParts.ofMatch(message, match, factory(version), fields(version));
    message.readerIndex(message.writerIndex());
    return known;
  }

  private KnownFields fields(int version) {
    @Nullable KnownFields known = fields;
    if (known == null || version != versionOfFields) {
      known = new KnownFields(factory(version));
      fields = known;
      versionOfFields = version;
    }
    return known;
  }

  private static OFFactory factory(int wireVersion) {
    return OFFactories.getFactory(LazyMessage.version(wireVersion));
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
        factory(version).buildMatch().setExact(MatchField.IN_PORT, OFPort.of(port)).build();
    portMatches.put(port, match);
    return match;
  }
}
