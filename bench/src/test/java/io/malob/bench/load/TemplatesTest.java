package io.malob.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.openflow.IpFamily;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;

/** The patched messages, as openflowj reads them. */
class TemplatesTest {
  private static final int VIP = 0xc612_0001;
  private static final int CLIENT = 0x0a00_1234;
  private static final int TCP_PORT = 40_001;
  private static final int SEQUENCE = 0x1234_fedc;
  private static final long VIP_MAC = 0x0203_0000_0001L;
  private static final long CLIENT_MAC = 0x0200_0000_0007L;

  private final Outbox outbox = new Outbox();

  @ParameterizedTest
  @EnumSource
  void syn_hasAddressesPortsAndChecksums(AddressFamily family) throws Exception {
    new PacketInTemplate(family, VIP, VIP_MAC)
        .syn(outbox, 7, CLIENT_MAC, CLIENT, TCP_PORT, SEQUENCE);
    byte[] frame = read(OFPacketIn.class).getData();
    int tcp = 14 + family.headerBytes;
    int tcpBytes = frame.length - tcp;
    assertEquals(PacketInTemplate.synFrameBytes(family), frame.length);
    assertEquals(VIP_MAC, Bytes.uint48(frame, 0));
    assertEquals(CLIENT_MAC, Bytes.uint48(frame, 6));
    assertEquals(family.etherType, Bytes.uint16(frame, 12));
    assertEquals(CLIENT, family.source(frame, 14));
    assertEquals(VIP, family.destination(frame, 14));
    assertEquals(TCP_PORT, Bytes.uint16(frame, tcp));
    assertEquals(SEQUENCE, Bytes.int32(frame, tcp + 4));
    int addresses =
        Bytes.sum(family.address(CLIENT).getBytes(), 0, family.addressBytes)
            + Bytes.sum(family.address(VIP).getBytes(), 0, family.addressBytes);
    assertEquals(0, Bytes.checksum(addresses + 6 + tcpBytes + Bytes.sum(frame, tcp, tcpBytes)));
    if (family == AddressFamily.IPV4) {
      assertEquals(frame.length - 14, Bytes.uint16(frame, 14 + 2));
      assertEquals(0, Bytes.checksum(Bytes.sum(frame, 14, family.headerBytes)));
    } else {
      assertEquals(6, Bytes.uint8(frame, 14) >> 4);
      assertEquals(tcpBytes, Bytes.uint16(frame, 14 + 4));
    }
  }

  @ParameterizedTest
  @EnumSource
  void flowRemoved_isOfTheConnectionsRequestRule(AddressFamily family) throws Exception {
    new FlowRemovedTemplate(family, VIP, 3)
        .append(outbox, 0x6522L << 48, 900, 15, CLIENT, TCP_PORT);
    OFFlowRemoved removed = read(OFFlowRemoved.class);
    assertEquals(1, removed.getTableId().getValue());
    assertEquals(900, removed.getPriority());
    assertEquals(3, removed.getPacketCount().getValue());
    assertEquals(
        IpFamily.matchBetween(
                OFFactories.getFactory(removed.getVersion()),
                IpProtocol.TCP,
                family.address(CLIENT),
                family.address(VIP))
            .setExact(MatchField.TCP_SRC, TransportPort.of(TCP_PORT))
            .setExact(MatchField.TCP_DST, TransportPort.of(Scenario.VIP_TCP_PORT))
            .build(),
        removed.getMatch());
  }

  /** The message at the start of the outbox, which must be as long as it says. */
  private <T> T read(Class<T> type) throws Exception {
    int end = outbox.append(0);
    assertEquals(end, Bytes.uint16(outbox.bytes(), 2));
    byte[] message = Arrays.copyOf(outbox.bytes(), end);
    return type.cast(OFFactories.getGenericReader().readFrom(Unpooled.wrappedBuffer(message)));
  }
}
