package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class Ipv6RepliesTest {
  private static final IPv6Address HOST = IPv6Address.of("fd6d:616c:6f62::2");
  private static final IPv6Address OWN = IPv6Address.of("2001:db8:1::2");
  private static final IPv6Address SERVER = IPv6Address.of("2001:db8:ff::1");
  private static final MacAddress HOST_MAC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress GATEWAY_MAC = MacAddress.of("0a:4d:4c:00:00:01");
  private static final Ipv6Frames SENT = new Ipv6Frames(HOST_MAC, GATEWAY_MAC, HOST, SERVER);
  private static final int TRANSPORT = 54;

  private static Packet read(byte[] frame) {
    assertTrue(Ipv6Frames.hasRightChecksum(frame));
    return Optional.of(Packet.parse(frame)).filter(Packet::isIpv6).orElseThrow();
  }

  private static void assertGoesBack(Packet packet) {
    assertEquals(HOST_MAC, packet.dstMac());
    assertEquals(GATEWAY_MAC, packet.srcMac());
    assertEquals(SERVER, packet.source());
    assertEquals(HOST, packet.destination());
  }

  @Test
  void solicitation_goesToTheGroupOfWhoIsAskedFor() {
    IPv6Address router = IPv6Address.of("fe80::a1:b2c3");
    byte[] frame = NeighbourReplies.solicitation(HOST_MAC, OWN, router);
    Packet packet = read(frame);
    assertEquals(MacAddress.of("33:33:ff:a1:b2:c3"), packet.dstMac());
    assertEquals(IPv6Address.of("ff02::1:ffa1:b2c3"), packet.destination());
    assertEquals(
        new NeighbourMessage(true, OWN, IPv6Address.of("ff02::1:ffa1:b2c3"), router, HOST_MAC),
        NeighbourMessage.of(packet).orElseThrow());
    // the router answers without asking in its turn
    assertArrayEquals(
        new byte[] {1, 1, 2, 0, 0, 0, 0, 1}, Arrays.copyOfRange(frame, TRANSPORT + 24, 86));
  }

  @Test
  void advertisement_isSolicitedAndOverrides() {
    NeighbourMessage asked = new NeighbourMessage(true, HOST, SERVER, SERVER, HOST_MAC);
    byte[] frame = NeighbourReplies.advertisement(asked, GATEWAY_MAC);
    assertArrayEquals(
        new Ipv6Frames(GATEWAY_MAC, HOST_MAC, SERVER, HOST).advertisement(SERVER, GATEWAY_MAC),
        frame);
  }

  @Test
  void answer_goesToTheAsker_withItsTags() {
    byte[] question = SENT.solicitation(SERVER);
    byte[] wanted =
        new Ipv6Frames(GATEWAY_MAC, HOST_MAC, SERVER, HOST).advertisement(SERVER, GATEWAY_MAC);
    assertArrayEquals(wanted, answer(question));
    assertArrayEquals(Frames.tagged(wanted, 7), answer(Frames.tagged(question, 7)));
  }

  @Test
  void answer_toACheckForDuplicates_reachesTheChecker_whichHasNoAddress() {
    IPv6Address none = IPv6Address.NONE;
    IPv6Address group = IPv6Address.of("ff02::1:ff00:1");
    MacAddress groupMac = MacAddress.of("33:33:ff:00:00:01");
    byte[] frame = answer(new Ipv6Frames(HOST_MAC, groupMac, none, group).solicitation(SERVER));
    Packet packet = read(frame);
    assertEquals(MacAddress.of("33:33:00:00:00:01"), packet.dstMac());
    assertEquals(GATEWAY_MAC, packet.srcMac());
    assertEquals(IPv6Address.of("ff02::1"), packet.destination());
    assertEquals(SERVER, packet.source());
    assertEquals((byte) 255, frame[14 + 7]);
    assertArrayEquals(
        new byte[] {0x20, 0, 0, 0}, Arrays.copyOfRange(frame, TRANSPORT + 4, TRANSPORT + 8));
    assertEquals(GATEWAY_MAC, NeighbourMessage.of(packet).orElseThrow().mac());
  }

  @Test
  void answer_toArp_isArp() {
    IPv4Address asker = IPv4Address.of("10.0.0.1");
    IPv4Address asked = IPv4Address.of("10.0.0.2");
    assertArrayEquals(
        Frames.arpReply(GATEWAY_MAC, HOST_MAC, asked, asker),
        answer(Frames.arpRequest(HOST_MAC, asker, asked)));
  }

  private static byte[] answer(byte[] question) {
    Packet packet = Packet.parse(question);
    return NeighbourReplies.answer(packet, NeighbourMessage.of(packet).orElseThrow(), GATEWAY_MAC);
  }

  @ParameterizedTest
  @CsvSource({"0x10, 0x04, 2000, 0", "0x02, 0x14, 0, 1001", "0x01, 0x14, 0, 1001"})
  void tcpReset_isWhereTheSenderExpectsIt(
      String flags, String replyFlags, int sequence, int acknowledgement) {
    byte[] frame = Replies.tcpReset(read(SENT.tcp(40_000, 443, Integer.decode(flags))));
    Packet reset = read(frame);
    assertGoesBack(reset);
    assertEquals(443, reset.srcPort());
    assertEquals(40_000, reset.dstPort());
    assertEquals((byte) (int) Integer.decode(replyFlags), frame[TRANSPORT + 13]);
    assertEquals(sequence, reset.tcpSequence());
    assertEquals(acknowledgement, reset.tcpAcknowledgement());
  }

  @Test
  void tcpSyn_hasNoOptions() {
    Packet syn =
        read(Replies.tcpSyn(new Replies.Ends(GATEWAY_MAC, HOST_MAC, SERVER, 443, HOST, 40_000)));
    assertGoesBack(syn);
    assertTrue(syn.isTcpSyn());
    assertEquals(1, syn.tcpSequenceLength());
    assertEquals(40_000, syn.dstPort());
    assertEquals(TRANSPORT + 20, syn.end());
  }

  @Test
  void noRoute_quotesAsMuchAsFitsEverywhere() {
    byte[] sent = SENT.udp(50_000, 53, new byte[1_400]);
    byte[] frame = Replies.networkUnreachable(read(sent));
    Packet error = read(frame);
    assertGoesBack(error);
    assertEquals(1, error.icmpType());
    assertEquals(0, frame[TRANSPORT + 1]);
    assertEquals(14 + 1_280, frame.length);
    assertArrayEquals(
        Arrays.copyOfRange(sent, 14, 14 + 1_232), Arrays.copyOfRange(frame, 62, frame.length));
  }

  @Test
  void udpPortUnreachable_isAboutADatagramOfTheHost() {
    byte[] frame =
        Replies.udpPortUnreachable(
            new Replies.Ends(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 53));
    Packet error = read(frame);
    assertGoesBack(error);
    assertEquals(1, error.icmpType());
    assertEquals(4, frame[TRANSPORT + 1]);
    QuotedPacket quoted = QuotedPacket.of(error).orElseThrow();
    assertEquals(SERVER, quoted.destination());
    assertEquals(50_000, quoted.srcPort());
    assertEquals(53, quoted.dstPort());
  }

  @ParameterizedTest
  @CsvSource({"6", "17", "58", "50"})
  void error_readdressed_quotesWhatTheHostSent(int protocol) {
    Ipv6Frames inside = new Ipv6Frames(HOST_MAC, GATEWAY_MAC, HOST, SERVER);
    Ipv6Frames outside = new Ipv6Frames(HOST_MAC, GATEWAY_MAC, OWN, SERVER);
    IPv6Address router = IPv6Address.of("2001:db8:7::1");
    Ipv6Frames errors = new Ipv6Frames(GATEWAY_MAC, HOST_MAC, router, OWN);
    byte[] about = Arrays.copyOfRange(some(outside, protocol), 14, 54 + 20);
    byte[] error = errors.icmp(2, 60, 1_280, about);
    QuotedPacket quoted = QuotedPacket.of(read(error)).orElseThrow();
    assertEquals(protocol, quoted.protocol());
    assertEquals(SERVER, quoted.destination());
    byte[] told = quoted.readdressed(GATEWAY_MAC, HOST_MAC, HOST);
    byte[] wanted = Arrays.copyOfRange(some(inside, protocol), 14, 54 + 20);
    assertArrayEquals(
        new Ipv6Frames(GATEWAY_MAC, HOST_MAC, router, HOST).icmp(2, 60, 1_280, wanted), told);
  }

  private static byte[] some(Ipv6Frames frames, int protocol) {
    return switch (protocol) {
      case 6 -> frames.tcp(40_000, 443, 0x10);
      case 17 -> frames.udp(50_000, 53, new byte[12]);
      case 58 -> frames.icmp(128, 64, 7, new byte[12]);
      default -> frames.packet(protocol, new byte[20]);
    };
  }

  @Test
  void whatIsNoError_orQuotesTooLittle_quotesNothing() {
    byte[] packet = Arrays.copyOfRange(SENT.udp(1, 2, new byte[8]), 14, 54 + 16);
    for (int type : new int[] {0, 5, 128, 129, 135}) {
      assertEquals(Optional.empty(), QuotedPacket.of(read(SENT.icmp(type, 64, 0, packet))));
    }
    for (int length = 0; length < 44; length++) {
      byte[] error = SENT.icmp(1, 64, 0, Arrays.copyOf(packet, length));
      assertEquals(Optional.empty(), QuotedPacket.of(read(error)));
    }
    assertFalse(QuotedPacket.of(read(SENT.icmp(1, 64, 0, packet))).isEmpty());
  }
}
