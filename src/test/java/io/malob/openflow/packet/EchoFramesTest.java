package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class EchoFramesTest {
  private static final Replies.Ends ENDS =
      new Replies.Ends(
          MacAddress.of(1),
          MacAddress.of(2),
          IPv4Address.of("10.0.1.2"),
          0,
          IPv4Address.of("10.0.1.1"),
          0);

  @ParameterizedTest
  @ValueSource(ints = {28, 29, 64, 1_500})
  void request_isAPingOfThatSizeWithRightChecksums(int bytes) {
    byte[] frame = EchoFrames.request(ENDS, 0xfedc, 0x8001, bytes);
    Packet packet = Packet.parse(frame);
    assertEquals(14 + bytes, frame.length);
    assertEquals(Packet.Kind.ICMP, packet.kind());
    assertEquals(EchoFrames.ICMP_ECHO_REQUEST, packet.icmpType());
    assertEquals(0xfedc, packet.icmpIdentifier());
    assertEquals(0x8001, packet.icmpSequence());
    assertEquals(ENDS.srcMac(), packet.srcMac());
    assertEquals(ENDS.dstMac(), packet.dstMac());
    assertEquals(ENDS.src(), packet.source());
    assertEquals(ENDS.dst(), packet.destination());
    // a sum over a checksum that is right is zero
    ByteBuffer all = ByteBuffer.wrap(frame);
    assertEquals(0, Checksums.of(all, 14, 20, 0));
    assertEquals(0, Checksums.of(all, 34, bytes - 20, 0));
  }

  @Test
  void answer_goesBackTheWayTheRequestCame_withItsPayloadAndTag() {
    byte[] request = EchoFrames.request(ENDS, 0xfedc, 0x8001, 64);
    request[50] = 7;
    byte[] frame = EchoFrames.answer(Packet.parse(Frames.tagged(request, 100)));
    Packet packet = Packet.parse(frame);
    assertEquals(100, packet.vlan());
    assertTrue(packet.isEchoReply());
    assertEquals(0xfedc, packet.icmpIdentifier());
    assertEquals(0x8001, packet.icmpSequence());
    assertEquals(ENDS.dstMac(), packet.srcMac());
    assertEquals(ENDS.srcMac(), packet.dstMac());
    assertEquals(ENDS.dst(), packet.source());
    assertEquals(ENDS.src(), packet.destination());
    assertEquals(7, frame[54]);
    assertEquals(0, Checksums.of(ByteBuffer.wrap(frame), 18, 20, 0));
    assertEquals(0, Checksums.of(ByteBuffer.wrap(frame), 38, 44, 0));
  }

  @Test
  void answer_ofIpv6_hasARightChecksum() {
    IPv6Address from = IPv6Address.of("2001:db8::1");
    IPv6Address to = IPv6Address.of("2001:db8::200");
    byte[] request =
        EchoFrames.request(
            new Replies.Ends(ENDS.srcMac(), ENDS.dstMac(), from, 0, to, 0), 1, 2, 64);
    byte[] frame = EchoFrames.answer(Packet.parse(request));
    assertTrue(Packet.parse(frame).isEchoReply());
    assertEquals(from, Packet.parse(frame).destination());
    assertEquals( // never 0
        -1,
        Checksums.withAddresses(ByteBuffer.wrap(frame), 22, 16, 54, 24, Packet.PROTOCOL_ICMPV6));
  }

  @Test
  void identifierAndNumber_ofWhatIsNoIcmp_areZero() {
    Packet arp = Packet.parse(NeighbourReplies.question(ENDS.srcMac(), ENDS.src(), ENDS.dst()));
    assertEquals(0, arp.icmpIdentifier());
    assertEquals(0, arp.icmpSequence());
  }
}
