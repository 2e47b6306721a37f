package io.malob.testing;

import io.malob.openflow.tracked.ConntrackFlush;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/** Reads {@link ConntrackFlush} as Open vSwitch 3.1 does ({@code lib/ofp-ct.c}). */
final class FakeFlush {
  private static final int BODY = 16;

  private final List<Predicate<FakeConnection>> conditions = new ArrayList<>();
  private int zone;

  FakeFlush(ConntrackFlush message) {
    ByteBuf bytes = Unpooled.buffer();
    message.writeTo(bytes);
    bytes.skipBytes(BODY);
    int protocol = bytes.readUnsignedByte();
    conditions.add(each -> each.original().protocol() == protocol);
    bytes.skipBytes(7);
    while (bytes.isReadable()) {
      int type = bytes.readUnsignedShort();
      ByteBuf value = value(bytes);
      switch (type) {
        case 0 -> tuple(value, /* isReply= */ false);
        case 1 -> tuple(value, /* isReply= */ true);
        case 2 -> zone = value.readUnsignedShort();
        default -> throw new UnsupportedOperationException("a flush with a part " + type);
      }
    }
  }

  /** What follows a type and a length, without padding. */
  private static ByteBuf value(ByteBuf bytes) {
    int length = bytes.readUnsignedShort();
    ByteBuf value = bytes.readSlice(length - 4);
    bytes.skipBytes(-length & 7);
    return value;
  }

  private void tuple(ByteBuf fields, boolean isReply) {
    fields.skipBytes(4);
    while (fields.isReadable()) {
      int type = fields.readUnsignedShort();
      ByteBuf value = value(fields);
      switch (type) {
        case 0 -> add(isReply, address(value), ConntrackTuple::src);
        case 1 -> add(isReply, address(value), ConntrackTuple::dst);
        case 2 -> add(isReply, value.readUnsignedShort(), ConntrackTuple::srcPort);
        case 3 -> add(isReply, value.readUnsignedShort(), ConntrackTuple::dstPort);
        default -> throw new UnsupportedOperationException("a flush by a field " + type);
      }
    }
  }

  private <T> void add(boolean isReply, T wanted, Function<ConntrackTuple, ?> field) {
    conditions.add(each -> wanted.equals(field.apply(isReply ? each.reply() : each.original())));
  }

  private static IPAddress<?> address(ByteBuf value) {
    long high = value.readLong();
    long low = value.readLong();
    return high == 0 && low >>> 32 == 0xffff
        ? IPv4Address.of((int) low)
        : IPv6Address.of(high, low);
  }

  int zone() {
    return zone;
  }

  boolean concerns(FakeConnection connection) {
    return conditions.stream().allMatch(each -> each.test(connection));
  }
}
