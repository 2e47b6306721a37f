package io.malob.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/** Answers of members to the SYNs that the controller itself builds. */
class ChecksTest {
  private static final MacAddress VIP_MAC = MacAddress.of(0x0a4d4c000001L);

  private static byte[] syn(Scenario scenario, int member, int port) {
    return Replies.tcpSyn(
        new Replies.Ends(
            VIP_MAC,
            MacAddress.of(scenario.memberMac(0, member)),
            scenario.family().address(scenario.vip(0)),
            port,
            scenario.family().address(scenario.member(0, member)),
            80));
  }

  @ParameterizedTest
  @EnumSource
  void syn_isAcceptedByItsMember(AddressFamily family) throws Exception {
    Scenario scenario = new Scenario(1, 1, 2, 1, 0, family);
    Checks checks = new Checks(scenario);
    Outbox outbox = new Outbox();
    byte[] syn = syn(scenario, 1, 4_000);

    assertTrue(checks.answer(0, outbox, syn, 0, syn.length, 7));

    assertArrayEquals(new long[] {7}, checks.take());
    OFPacketIn sent =
        (OFPacketIn)
            OFFactories.getFactory(OFVersion.OF_13)
                .getReader()
                .readFrom(Unpooled.wrappedBuffer(outbox.bytes()));
    Packet answer = Packet.parse(sent.getData());
    IPAddress<?> vip = family.address(scenario.vip(0));
    assertEquals(family.address(scenario.member(0, 1)), answer.source());
    assertEquals(vip, answer.destination());
    assertEquals(4_000, answer.dstPort());
    assertTrue(answer.hasTcpFlags(Packet.TCP_SYN | Packet.TCP_ACK));
    assertEquals(1, answer.tcpAcknowledgement());
    assertEquals(0, checksum(sent.getData(), family), "checksum of TCP");
  }

  /** Zero if it is right: over the addresses, the length, the protocol and TCP. */
  private static int checksum(byte[] frame, AddressFamily family) {
    int tcp = 14 + family.headerBytes;
    int sum =
        Bytes.sum(frame, 14 + family.sourceAt, 2 * family.addressBytes)
            + Bytes.sum(frame, tcp, frame.length - tcp)
            + OpenFlow.IP_PROTO_TCP
            + (frame.length - tcp);
    return Bytes.checksum(sum);
  }

  @ParameterizedTest
  @EnumSource
  void packetOfTheOtherFamily_isNoCheck(AddressFamily family) {
    AddressFamily other = family == AddressFamily.IPV4 ? AddressFamily.IPV6 : AddressFamily.IPV4;
    byte[] syn = syn(new Scenario(1, 1, 2, 1, 0, other), 1, 4_000);
    Checks checks = new Checks(new Scenario(1, 1, 2, 1, 0, family));
    assertFalse(checks.answer(0, new Outbox(), syn, 0, syn.length, 7));
    assertEquals(0, checks.take().length);
  }
}
