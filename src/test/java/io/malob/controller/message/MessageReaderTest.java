package io.malob.controller.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.IpFamily;
import io.malob.testing.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/** openflowj writes, this reader reads, and openflowj's reader says what it should be. */
class MessageReaderTest {
  private static final byte[] FRAME =
      Frames.arpRequest(
          MacAddress.of("02:00:00:00:00:01"),
          IPv4Address.of("10.0.0.1"),
          IPv4Address.of("10.0.0.2"));

  private final MessageReader reader = new MessageReader();

  private static ByteBuf bytes(OFMessage message) {
    ByteBuf bytes = Unpooled.buffer();
    message.writeTo(bytes);
    return bytes;
  }

  private @Nullable OFMessage read(OFMessage message) throws OFParseError {
    ByteBuf bytes = bytes(message);
    OFMessage read = reader.read(bytes);
    assertFalse(bytes.isReadable());
    return read;
  }

  private static OFPacketIn packetIn(OFFactory factory, Match match) {
    return factory
        .buildPacketIn()
        .setXid(0xfffffffeL)
        .setBufferId(OFBufferId.NO_BUFFER)
        .setTotalLen(FRAME.length)
        .setReason(OFPacketInReason.ACTION)
        .setTableId(TableId.of(200))
        .setCookie(U64.of(0x8000_0000_0000_0001L))
        .setMatch(match)
        .setData(FRAME)
        .build();
  }

  private static Match port(OFFactory factory, int port) {
    return factory.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(port)).build();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void packetIn_ofAnyPort_readsAsOpenflowjReadsIt(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    for (int port : new int[] {1, 65_535, 0xffff_fffe}) {
      OFPacketIn expected = packetIn(factory, port(factory, port));
      OFPacketIn read = assertInstanceOf(LazyPacketIn.class, read(expected));
      assertEquals(expected.getVersion(), read.getVersion());
      assertEquals(expected.getType(), read.getType());
      assertEquals(expected.getXid(), read.getXid());
      assertEquals(expected.getBufferId(), read.getBufferId());
      assertEquals(expected.getTotalLen(), read.getTotalLen());
      assertEquals(expected.getReason(), read.getReason());
      assertEquals(expected.getTableId(), read.getTableId());
      assertEquals(expected.getCookie(), read.getCookie());
      assertEquals(expected.getMatch(), read.getMatch());
      assertEquals(OFPort.of(port), read.getMatch().get(MatchField.IN_PORT));
      assertArrayEquals(FRAME, read.getData());
      assertTrue(read.equalsIgnoreXid(expected));
      assertEquals(bytes(expected), bytes(read));
      assertEquals(expected, read.createBuilder().build());
    }
  }

  @Test
  void packetIn_ofOnePortTwice_sharesItsMatch() throws Exception {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    OFPacketIn first = (OFPacketIn) read(packetIn(factory, port(factory, 7)));
    OFPacketIn second = (OFPacketIn) read(packetIn(factory, port(factory, 7)));
    assertSame(first.getMatch(), second.getMatch());
  }

  @Test
  void packetIn_withFurtherFields_keepsThem() throws Exception {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    Match match =
        factory
            .buildMatch()
            .setExact(MatchField.IN_PORT, OFPort.of(3))
            .setExact(MatchField.METADATA, OFMetadata.ofRaw(5))
            .build();
    assertEquals(packetIn(factory, match), read(packetIn(factory, match)));
  }

  private static Match.Builder ipv4(OFFactory factory, IpProtocol protocol) {
    return factory
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv4)
        .setExact(MatchField.IP_PROTO, protocol)
        .setExact(MatchField.IPV4_SRC, IPv4Address.of("192.0.2.255"))
        .setExact(MatchField.IPV4_DST, IPv4Address.of("10.0.0.2"));
  }

  private static Match ipv6(OFFactory factory) {
    return factory
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv6)
        .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
        .setExact(MatchField.IPV6_SRC, IPv6Address.of("2001:db8::ffff:1"))
        .setExact(MatchField.IPV6_DST, IPv6Address.of("fd00::ffff:ffff:ffff:ffff"))
        .setExact(MatchField.TCP_SRC, TransportPort.of(1))
        .setExact(MatchField.TCP_DST, TransportPort.of(443))
        .build();
  }

  static Stream<Match> matches() {
    return Stream.of(OFVersion.OF_13, OFVersion.OF_14)
        .map(OFFactories::getFactory)
        .flatMap(
            factory ->
                Stream.of(
                    factory.buildMatch().build(),
                    ipv4(factory, IpProtocol.ICMP).build(),
                    ipv4(factory, IpProtocol.TCP)
                        .setExact(MatchField.TCP_SRC, TransportPort.of(65_535))
                        .setExact(MatchField.TCP_DST, TransportPort.of(80))
                        .build(),
                    ipv4(factory, IpProtocol.UDP)
                        .setExact(MatchField.UDP_SRC, TransportPort.of(1))
                        .setExact(MatchField.UDP_DST, TransportPort.of(0))
                        .build(),
                    ipv6(factory),
                    factory
                        .buildMatch()
                        .setExact(MatchField.ETH_TYPE, EthType.IPv6)
                        .setMasked(
                            MatchField.IPV6_DST,
                            IPv6Address.of("2001:db8::"),
                            IPv6Address.ofCidrMaskLength(32))
                        .build(),
                    factory
                        .buildMatch()
                        .setExact(MatchField.ETH_TYPE, EthType.IPv4)
                        .setMasked(
                            MatchField.IPV4_DST,
                            IPv4Address.of("10.1.0.0"),
                            IPv4Address.of("255.255.0.0"))
                        .build()));
  }

  @ParameterizedTest
  @MethodSource("matches")
  void flowRemoved_ofAnyMatch_readsAsOpenflowjReadsIt(Match match) throws Exception {
    for (OFFlowRemovedReason reason :
        List.of(
            OFFlowRemovedReason.IDLE_TIMEOUT,
            OFFlowRemovedReason.HARD_TIMEOUT,
            OFFlowRemovedReason.DELETE,
            OFFlowRemovedReason.GROUP_DELETE)) {
      OFFlowRemoved expected =
          OFFactories.getFactory(match.getVersion())
              .buildFlowRemoved()
              .setCookie(U64.of(-2))
              .setPriority(49_000)
              .setReason(reason)
              .setTableId(TableId.of(1))
              .setDurationSec(77)
              .setDurationNsec(88)
              .setIdleTimeout(15)
              .setHardTimeout(65_535)
              .setPacketCount(U64.of(3))
              .setByteCount(U64.of(4))
              .setMatch(match)
              .build();
      OFFlowRemoved read = assertInstanceOf(LazyFlowRemoved.class, read(expected));
      assertEquals(expected.getCookie(), read.getCookie());
      assertEquals(expected.getPriority(), read.getPriority());
      assertEquals(expected.getReason(), read.getReason());
      assertEquals(expected.getTableId(), read.getTableId());
      assertEquals(expected.getDurationSec(), read.getDurationSec());
      assertEquals(expected.getDurationNsec(), read.getDurationNsec());
      assertEquals(expected.getIdleTimeout(), read.getIdleTimeout());
      assertEquals(expected.getHardTimeout(), read.getHardTimeout());
      assertEquals(expected.getPacketCount(), read.getPacketCount());
      assertEquals(expected.getByteCount(), read.getByteCount());
      assertEquals(read.getMatch(), match);
      for (MatchField<?> field :
          List.of(
              MatchField.IP_PROTO,
              MatchField.IPV4_SRC,
              MatchField.IPV4_DST,
              MatchField.IPV6_SRC,
              MatchField.IPV6_DST,
              MatchField.TCP_SRC,
              MatchField.TCP_DST,
              MatchField.UDP_SRC,
              MatchField.UDP_DST,
              MatchField.ETH_TYPE,
              MatchField.VLAN_VID)) {
        Object value =
            match.supports(field) && arePrerequisitesOk(match, field) ? match.get(field) : null;
        assertEquals(value, read.getMatch().get(field), field.getName());
      }
      assertEquals(bytes(expected), bytes(read));
      assertEquals(expected, read.createBuilder().build());
    }
  }

  /** A switch sends one for each connection; openflowj's reading would cost more than placing. */
  @Test
  void flowRemoved_ofConnection_isReadWithoutOpenflowj() throws Exception {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    Match v4 =
        ipv4(factory, IpProtocol.TCP)
            .setExact(MatchField.TCP_SRC, TransportPort.of(1))
            .setExact(MatchField.TCP_DST, TransportPort.of(443))
            .build();
    for (Match expected : List.of(v4, ipv6(factory))) {
      LazyFlowRemoved message =
          assertInstanceOf(
              LazyFlowRemoved.class,
              read(
                  factory
                      .buildFlowRemoved()
                      .setReason(OFFlowRemovedReason.IDLE_TIMEOUT)
                      .setMatch(expected)
                      .build()));
      message.bytes()[0] = 0; // of no version that openflowj could read
      assertThrows(RuntimeException.class, message::parsed);
      Match onWire = message.getMatch();
      assertEquals(IpFamily.source(expected), IpFamily.source(onWire));
      assertEquals(IpFamily.destination(expected), IpFamily.destination(onWire));
      for (MatchField<?> field :
          List.of(MatchField.IP_PROTO, MatchField.TCP_SRC, MatchField.TCP_DST)) {
        assertEquals(expected.get(field), onWire.get(field));
      }
    }
  }

  private static boolean arePrerequisitesOk(Match match, MatchField<?> field) {
    return field.arePrerequisitesOK(match);
  }

  @Test
  void message_cutShortAnywhere_isRefusedOrShorter() {
    int refused = 0;
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    OFMessage removed =
        factory
            .buildFlowRemoved()
            .setReason(OFFlowRemovedReason.DELETE)
            .setMatch(ipv4(factory, IpProtocol.ICMP).build())
            .build();
    for (OFMessage message : List.of(packetIn(factory, port(factory, 1)), removed)) {
      ByteBuf whole = bytes(message);
      for (int length = 8; length < whole.readableBytes(); length++) {
        ByteBuf cut = whole.copy(0, length).setShort(2, length);
        try {
          OFMessage read = reader.read(cut);
          if (read instanceof OFPacketIn packetIn) {
            assertTrue(packetIn.getData().length < FRAME.length);
          } else if (read instanceof OFFlowRemoved flowRemoved) {
            assertEquals(IpProtocol.ICMP, flowRemoved.getMatch().get(MatchField.IP_PROTO));
          }
        } catch (OFParseError | RuntimeException e) {
          refused++;
        }
      }
    }
    assertTrue(refused >= 40, refused + " refused");
  }
}
