package io.malob.controller.message;

import com.google.common.hash.PrimitiveSink;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.Masked;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * A match that looks its fields up in the bytes of its message: those that identify connections
 * (EtherType, protocol, IP addresses, TCP and UDP ports). All other calls go to openflowj's match.
 * Immutable.
 */
final class WireMatch implements Match {
  private static final int LENGTH_OFFSET = 2;
  private static final int HEADER_BYTES = 4;
  private static final int ABSENT = -1;

  private final LazyFlowRemoved message;
  private final int start;
  private final int end;

  /** The match at that place of a message, which {@link #isWhole}. */
  WireMatch(LazyFlowRemoved message, int start) {
    this.message = message;
    this.start = start + HEADER_BYTES;
    this.end = start + message.uint16(start + LENGTH_OFFSET);
  }

  /** Whether a match ends before its message does, and its fields fill it. */
  static boolean isWhole(ByteBuf message, int start) {
    int limit = message.writerIndex();
    if (limit - start < HEADER_BYTES) {
      return false;
    }
    int end = start + message.getUnsignedShort(start + LENGTH_OFFSET);
    int at = start + HEADER_BYTES;
    while (at + HEADER_BYTES <= end && end <= limit) {
      at += HEADER_BYTES + message.getUnsignedByte(at + 3);
    }
    return at == end && end <= limit;
  }

  private Match whole() {
    return message.parsed().getMatch();
  }

  /** Where the value of a field is, or {@link #ABSENT}. */
  private int find(int header) {
    int at = start;
    while (at < end) {
      if (message.int32(at) == header) {
        return at + HEADER_BYTES;
      }
      at += HEADER_BYTES + message.uint8(at + 3);
    }
    return ABSENT;
  }

  @Override
  @SuppressWarnings("unchecked") // the field defines the type of its value
  public <F extends OFValueType<F>> @Nullable F get(MatchField<F> field) {
    return switch (field.id) {
      case ETH_TYPE -> (F) etherType();
      case IP_PROTO -> (F) protocol();
      case IPV4_SRC -> (F) address(0x8000_1604, 0x8000_1708);
      case IPV4_DST -> (F) address(0x8000_1804, 0x8000_1908);
      case IPV6_SRC -> (F) address6(0x8000_3410, 0x8000_3520);
      case IPV6_DST -> (F) address6(0x8000_3610, 0x8000_3720);
      case TCP_SRC -> (F) port(0x8000_1a02);
      case TCP_DST -> (F) port(0x8000_1c02);
      case UDP_SRC -> (F) port(0x8000_1e02);
      case UDP_DST -> (F) port(0x8000_2002);
      default -> whole().get(field);
    };
  }

  private @Nullable EthType etherType() {
    int at = find(0x8000_0a02);
    return at == ABSENT ? null : EthType.of(message.uint16(at));
  }

  private @Nullable IpProtocol protocol() {
    int at = find(0x8000_1401);
    return at == ABSENT ? null : IpProtocol.of((short) message.uint8(at));
  }

  /** An address, with a mask or without: the mask is not part of the value. */
  private @Nullable IPv4Address address(int header, int masked) {
    int at = findEither(header, masked);
    return at == ABSENT ? null : IPv4Address.of(message.int32(at));
  }

  private @Nullable IPv6Address address6(int header, int masked) {
    int at = findEither(header, masked);
    return at == ABSENT ? null : IPv6Address.of(message.int64(at), message.int64(at + Long.BYTES));
  }

  private int findEither(int header, int masked) {
    int at = find(header);
    return at == ABSENT ? find(masked) : at;
  }

  private @Nullable TransportPort port(int header) {
    int at = find(header);
    return at == ABSENT ? null : TransportPort.of(message.uint16(at));
  }

  @Override
  public <F extends OFValueType<F>> Masked<F> getMasked(MatchField<F> field) {
    return whole().getMasked(field);
  }

  @Override
  public boolean supports(MatchField<?> field) {
    return whole().supports(field);
  }

  @Override
  public boolean supportsMasked(MatchField<?> field) {
    return whole().supportsMasked(field);
  }

  @Override
  public boolean isExact(MatchField<?> field) {
    return whole().isExact(field);
  }

  @Override
  public boolean isFullyWildcarded(MatchField<?> field) {
    return whole().isFullyWildcarded(field);
  }

  @Override
  public boolean isPartiallyMasked(MatchField<?> field) {
    return whole().isPartiallyMasked(field);
  }

  @Override
  public Iterable<MatchField<?>> getMatchFields() {
    return whole().getMatchFields();
  }

  @Override
  public Builder createBuilder() {
    return whole().createBuilder();
  }

  @Override
  public OFVersion getVersion() {
    return whole().getVersion();
  }

  @Override
  public void writeTo(ByteBuf out) {
    whole().writeTo(out);
  }

  @Override
  public void putTo(PrimitiveSink sink) {
    whole().putTo(sink);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    Object compared = other instanceof WireMatch match ? match.whole() : other;
    return whole().equals(compared);
  }

  @Override
  public int hashCode() {
    return whole().hashCode();
  }

  @Override
  public String toString() {
    return whole().toString();
  }
}
