package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class EchoFramesTest {
  private static final EchoFrames.End HOST =
      new EchoFrames.End(MacAddress.of(1), IPv4Address.of("10.0.1.2"));
  private static final EchoFrames.End ROUTER =
      new EchoFrames.End(MacAddress.of(2), IPv4Address.of("10.0.1.1"));

  @ParameterizedTest
  @ValueSource(ints = {28, 29, 64, 1_500})
  void request_isAPingOfThatSizeWithRightChecksums(int bytes) {
    byte[] frame = EchoFrames.request(HOST, ROUTER, 0xfedc, 0x8001, bytes);
    Packet packet = Packet.parse(frame);
    assertEquals(14 + bytes, frame.length);
    assertEquals(Packet.Kind.ICMP, packet.kind());
    assertEquals(EchoFrames.ICMP_ECHO_REQUEST, packet.icmpType());
    assertEquals(0xfedc, packet.icmpIdentifier());
    assertEquals(0x8001, packet.icmpSequence());
    assertEquals(HOST.mac(), packet.srcMac());
    assertEquals(ROUTER.mac(), packet.dstMac());
    assertEquals(HOST.address(), packet.source());
    assertEquals(ROUTER.address(), packet.destination());
    // a sum over a checksum that is right is zero
    ByteBuffer all = ByteBuffer.wrap(frame);
    assertEquals(0, Checksums.of(all, 14, 20, 0));
    assertEquals(0, Checksums.of(all, 34, bytes - 20, 0));
  }

  @Test
  void identifierAndNumber_ofWhatIsNoIcmp_areZero() {
    Packet arp =
        Packet.parse(NeighbourReplies.question(HOST.mac(), HOST.address(), ROUTER.address()));
    assertEquals(0, arp.icmpIdentifier());
    assertEquals(0, arp.icmpSequence());
  }
}
