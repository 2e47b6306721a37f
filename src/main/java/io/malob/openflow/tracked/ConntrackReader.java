package io.malob.openflow.tracked;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.TableId;

/**
 * Reads actions {@code ct}, as Open vSwitch sends them in any version of OpenFlow. Pure; never
 * reads beyond the action's length.
 */
public final class ConntrackReader {
  private static final int HEADER_BYTES = 10;
  private static final int REG_LOAD_BYTES = 24;

  private ConntrackReader() {}

  /**
   * Reads one action, and consumes it.
   *
   * @param version of the message that contains it
   * @throws OFParseError if it is malformed, no {@code ct}, or has options that {@link
   *     ConntrackAction} lacks ({@code force}, {@code alg}, a zone in a register, the way in which
   *     ports are chosen, writing to other fields than the mark and the label)
   */
  public static ConntrackAction read(OFVersion version, ByteBuf in) throws OFParseError {
    ByteBuf action = part(in);
    require(isOf(action, ConntrackAction.SUBTYPE), "not an action ct");
    try {
      return conntrack(version, action);
    } catch (IllegalArgumentException e) {
      throw new OFParseError(e.getMessage(), e);
    }
  }

  private static ConntrackAction conntrack(OFVersion version, ByteBuf action) throws OFParseError {
    require(action.readableBytes() >= ConntrackAction.FIXED_BYTES, "an action ct is too short");
    action.skipBytes(HEADER_BYTES);
    int flags = action.readUnsignedShort();
    int zoneField = action.readInt();
    int zone = action.readUnsignedShort();
    int table = action.readUnsignedByte();
    action.skipBytes(3);
    int alg = action.readUnsignedShort();
    require(
        (flags & ~ConntrackAction.COMMIT) == 0 && zoneField == 0 && alg == 0,
        "an action ct has an unsupported option");
    Optional<Nat> nat = Optional.empty();
    Optional<Mark> mark = Optional.empty();
    List<LabelCopy> copies = new ArrayList<>();
    while (action.isReadable()) {
      ByteBuf nested = part(action);
      if (isOf(nested, Nat.SUBTYPE)) {
        require(nat.isEmpty(), "an action ct translates twice");
        nat = Optional.of(nat(nested));
      } else if (isCopy(nested)) {
        copies.add(copy(version, nested));
      } else {
        Mark next = isOf(nested, Mark.REG_LOAD) ? loadedMark(nested) : setMark(nested);
        mark = Optional.of(mark.map(before -> before.then(next)).orElse(next));
      }
    }
    require(copies.isEmpty() || copies.equals(LabelCopy.SENDER), "not the sender is copied");
    return new ConntrackAction(
        version,
        zone,
        flags == ConntrackAction.COMMIT,
        table == ConntrackAction.NO_TABLE ? Optional.empty() : Optional.of(TableId.of(table)),
        nat,
        mark,
        /* keepsSender= */ !copies.isEmpty());
  }

  private static boolean isCopy(ByteBuf action) {
    return isOf(action, LabelCopy.MOVE)
        || action.getUnsignedShort(action.readerIndex()) == LabelCopy.COPY_FIELD;
  }

  private static LabelCopy copy(OFVersion version, ByteBuf action) throws OFParseError {
    for (LabelCopy each : LabelCopy.SENDER) {
      ByteBuf expected = Unpooled.buffer();
      each.writeTo(expected, version);
      if (expected.equals(action)) {
        return each;
      }
    }
    throw new OFParseError("another field than the sender's is copied");
  }

  private static Nat nat(ByteBuf action) throws OFParseError {
    require(action.readableBytes() >= Nat.FIXED_BYTES, "an action nat is too short");
    action.skipBytes(HEADER_BYTES + 2);
    int flags = action.readUnsignedShort();
    int present = action.readUnsignedShort();
    if (flags == 0 && present == 0) {
      return Nat.EXISTING;
    }
    require(flags == Nat.SOURCE || flags == Nat.DESTINATION, "an action nat has unsupported flags");
    boolean isIpv6 = (present & Nat.IPV6_MIN) != 0;
    int lastAddress = isIpv6 ? Nat.IPV6_MAX : Nat.IPV4_MAX;
    int port = present & (Nat.PORT_MIN | Nat.PORT_MAX);
    require(
        (present & ~lastAddress & ~port) == (isIpv6 ? Nat.IPV6_MIN : Nat.IPV4_MIN)
            && port != Nat.PORT_MAX,
        "an action nat has an unsupported range");
    IPAddress<?> first = address(action, isIpv6);
    IPAddress<?> last = (present & lastAddress) == 0 ? first : address(action, isIpv6);
    int firstPort = port == 0 ? Nat.SAME_PORT : port(action);
    int lastPort = (port & Nat.PORT_MAX) == 0 ? firstPort : port(action);
    return new Nat(
        Optional.of(
            new Nat.Range(
                flags == Nat.SOURCE ? Nat.End.SOURCE : Nat.End.DESTINATION,
                first,
                last,
                firstPort,
                lastPort)));
  }

  private static IPAddress<?> address(ByteBuf in, boolean isIpv6) throws OFParseError {
    int bytes = isIpv6 ? 16 : 4;
    require(in.readableBytes() >= bytes, "an action nat lacks an address");
    return isIpv6 ? IPv6Address.of(in.readLong(), in.readLong()) : IPv4Address.of(in.readInt());
  }

  private static int port(ByteBuf in) throws OFParseError {
    require(in.readableBytes() >= 2, "an action nat lacks a port");
    int port = in.readUnsignedShort();
    require(port != Nat.SAME_PORT, "an action nat has the port 0");
    return port;
  }

  private static Mark setMark(ByteBuf action) throws OFParseError {
    require(
        action.readableBytes() == Mark.SET_FIELD_BYTES
            && action.readUnsignedShort() == Mark.SET_FIELD,
        "an action ct contains an unsupported action");
    action.skipBytes(2);
    int field = action.readInt();
    require(field == Mark.FIELD || field == Mark.MASKED_FIELD, "not the mark is set");
    int value = action.readInt();
    return new Mark(value, field == Mark.FIELD ? Mark.ALL_BITS : action.readInt());
  }

  private static Mark loadedMark(ByteBuf action) throws OFParseError {
    require(action.readableBytes() == REG_LOAD_BYTES, "an action load has another length");
    action.skipBytes(HEADER_BYTES);
    int bits = action.readUnsignedShort();
    int offset = bits >>> 6;
    int count = (bits & 0x3f) + 1;
    require(action.readInt() == Mark.FIELD, "not the mark is loaded");
    require(offset + count <= Integer.SIZE, "the mark has 32 bits");
    long value = action.readLong();
    require(value >>> count == 0, "the value of an action load has too many bits");
    return new Mark((int) value << offset, new Mark.Bits(offset, count).mask());
  }

  /** Whether an action is this one of Open vSwitch. */
  private static boolean isOf(ByteBuf action, int subtype) {
    int start = action.readerIndex();
    return action.readableBytes() > HEADER_BYTES
        && action.getUnsignedShort(start) == ConntrackAction.EXPERIMENTER
        && action.getInt(start + 4) == ConntrackAction.NICIRA
        && action.getUnsignedShort(start + 8) == subtype;
  }

  /** The bytes of the next action, which are consumed. */
  private static ByteBuf part(ByteBuf in) throws OFParseError {
    require(in.readableBytes() >= 8, "an action is cut");
    int length = in.getUnsignedShort(in.readerIndex() + 2);
    require(
        length >= 8 && length % 8 == 0 && length <= in.readableBytes(),
        "the length of an action is not possible");
    return in.readSlice(length);
  }

  private static void require(boolean condition, String otherwise) throws OFParseError {
    if (!condition) {
      throw new OFParseError(otherwise);
    }
  }
}
