package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class QuotedPacketTest {
  private static final MacAddress A = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress B = MacAddress.of("02:00:00:00:00:0b");
  private static final IPv4Address OUTSIDE = IPv4Address.of("10.0.1.2");
  private static final IPv4Address INSIDE = IPv4Address.of("198.18.255.2");
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");

  private static byte[] udp(IPv4Address from) {
    return Frames.udp(A, B, from, 50_000, SERVER, 53, new byte[] {1, 2, 3});
  }

  @Test
  void quote_saysWhichPacketItIsAbout() {
    byte[] error = Replies.portUnreachable(Packet.parse(udp(OUTSIDE)));
    QuotedPacket quoted = QuotedPacket.of(Packet.parse(error)).orElseThrow();
    assertEquals(OUTSIDE, quoted.source());
    assertEquals(SERVER, quoted.destination());
    assertEquals(17, quoted.protocol());
    assertEquals(50_000, quoted.srcPort());
    assertEquals(53, quoted.dstPort());
    assertTrue(quoted.hasPorts());
  }

  @Test
  void readdressedError_isTheOneThatTheOtherAddressWouldHaveGot() {
    byte[] error = Replies.portUnreachable(Packet.parse(udp(OUTSIDE)));
    byte[] readdressed =
        QuotedPacket.of(Packet.parse(error)).orElseThrow().readdressed(B, A, INSIDE);
    assertArrayEquals(Replies.portUnreachable(Packet.parse(udp(INSIDE))), readdressed);
  }

  @Test
  void fragment_hasNoPorts() {
    byte[] error = Replies.portUnreachable(Packet.parse(Frames.fragment(udp(OUTSIDE), 0, true)));
    assertFalse(QuotedPacket.of(Packet.parse(error)).orElseThrow().hasPorts());
  }

  @ParameterizedTest
  @ValueSource(ints = {14 + 20, 14 + 20 + 8, 14 + 20 + 8 + 19, 14 + 20 + 8 + 20 + 3})
  void errorThatIsCutShort_quotesNothing(int bytes) {
    byte[] error = Replies.portUnreachable(Packet.parse(udp(OUTSIDE)));
    byte[] cut = Arrays.copyOf(error, bytes);
    cut[14 + 3] = (byte) (bytes - 14);
    assertTrue(QuotedPacket.of(Packet.parse(cut)).isEmpty());
  }

  @Test
  void whatIsNoError_quotesNothing() {
    byte[] ping = Frames.echoRequest(A, B, OUTSIDE, SERVER);
    assertTrue(QuotedPacket.of(Packet.parse(ping)).isEmpty());
    assertTrue(QuotedPacket.of(Packet.parse(udp(OUTSIDE))).isEmpty());
  }

  @Test
  void udpPortUnreachable_isAboutAPacketOfThatFlow() {
    byte[] error = Replies.udpPortUnreachable(new Replies.Ends(B, A, INSIDE, 5, SERVER, 53));
    Packet packet = Packet.parse(error);
    assertEquals(INSIDE.getInt(), packet.dstAddress());
    assertEquals(B, packet.dstMac());
    QuotedPacket quoted = QuotedPacket.of(packet).orElseThrow();
    assertEquals(5, quoted.srcPort());
    assertEquals(53, quoted.dstPort());
  }
}
