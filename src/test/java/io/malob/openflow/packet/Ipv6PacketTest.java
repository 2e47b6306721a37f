package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class Ipv6PacketTest {
  private static final IPv6Address SRC = IPv6Address.of("2001:db8:1::2");
  private static final IPv6Address DST = IPv6Address.of("2001:db8:ff::1");
  private static final IPv4Address IP = IPv4Address.of("10.0.0.1");
  private static final IPv4Address IP_OTHER = IPv4Address.of("10.0.0.2");
  private static final MacAddress SRC_MAC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress DST_MAC = MacAddress.of("02:00:00:00:00:02");
  private static final Ipv6Frames FRAMES = new Ipv6Frames(SRC_MAC, DST_MAC, SRC, DST);

  private static Optional<Packet> read(byte[] frame) {
    return Optional.of(Packet.parse(frame)).filter(Packet::isIpv6);
  }

  @Test
  void tcp_isReadWhole() {
    Packet packet = read(FRAMES.tcp(40_000, 443, 0x02)).orElseThrow();
    assertEquals(6, packet.protocol());
    assertEquals(40_000, packet.srcPort());
    assertEquals(443, packet.dstPort());
    assertEquals(SRC, packet.source());
    assertEquals(DST, packet.destination());
    assertEquals(SRC_MAC, packet.srcMac());
    assertEquals(DST_MAC, packet.dstMac());
    assertTrue(packet.isTcpSyn());
    assertFalse(packet.isFragment());
    assertEquals(0, packet.icmpType());
    assertFalse(read(FRAMES.tcp(40_000, 443, 0x12)).orElseThrow().isTcpSyn());
  }

  @Test
  void udp_hasPortsAndNoTcpFlags() {
    Packet packet = read(FRAMES.udp(50_000, 53, new byte[20])).orElseThrow();
    assertEquals(50_000, packet.srcPort());
    assertEquals(53, packet.dstPort());
    assertFalse(packet.hasTcpFlags(0));
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 8", "43, 1, 16", "60, 2, 24", "51, 1, 12"})
  void extensionHeader_isPassedOver(int header, int lengthField, int bytes) {
    byte[] tcp = Arrays.copyOfRange(FRAMES.tcp(40_000, 443, 0x10), 54, 74);
    byte[] payload =
        ByteBuffer.allocate(bytes + 20)
            .put((byte) 6)
            .put((byte) lengthField)
            .put(bytes, tcp)
            .array();
    Packet packet = read(FRAMES.packet(header, payload)).orElseThrow();
    assertEquals(6, packet.protocol());
    assertEquals(443, packet.dstPort());
    assertTrue(packet.hasTcpFlags(0x10));
  }

  @Test
  void headersWithoutEnd_areRefused() {
    byte[] payload = new byte[8 * 100]; // hop-by-hop headers, each followed by another
    assertEquals(Optional.empty(), read(FRAMES.packet(0, payload)));
  }

  @ParameterizedTest
  @CsvSource({"0, true", "100, true", "100, false"})
  void fragment_hasNoPortsToBeTrusted(int offset, boolean moreFollow) {
    Packet packet = read(FRAMES.fragment(17, offset, moreFollow, new byte[64])).orElseThrow();
    assertTrue(packet.isFragment());
    assertEquals(17, packet.protocol());
    assertEquals(0, packet.srcPort() + packet.dstPort());
  }

  @Test
  void fragmentThatIsTheWholePacket_isNone() {
    byte[] udp = Arrays.copyOfRange(FRAMES.udp(50_000, 53, new byte[4]), 54, 66);
    Packet packet = read(FRAMES.fragment(17, 0, false, udp)).orElseThrow();
    assertFalse(packet.isFragment());
    assertEquals(53, packet.dstPort());
  }

  @Test
  void otherProtocol_isReadWithoutPorts() {
    Packet packet = read(FRAMES.packet(50, new byte[30])).orElseThrow();
    assertEquals(50, packet.protocol());
    assertEquals(0, packet.dstPort());
  }

  @Test
  void frameThatIsCutAnywhere_isRefused() {
    for (byte[] frame :
        new byte[][] {
          FRAMES.tcp(1, 2, 0x02), FRAMES.udp(1, 2, new byte[3]), FRAMES.solicitation(DST)
        }) {
      for (int length = 0; length < frame.length; length++) {
        assertEquals(Optional.empty(), read(Arrays.copyOf(frame, length)));
      }
    }
  }

  @Test
  void paddingBehindThePacket_doesNotCount() {
    byte[] frame = FRAMES.tcp(1, 2, 0x11);
    Packet packet = read(Arrays.copyOf(frame, frame.length + 10)).orElseThrow();
    assertEquals(frame.length, packet.end());
    assertEquals(1, packet.tcpSequenceLength(), "FIN alone");
  }

  @Test
  void contradictions_areRefused() {
    byte[] tooShortHeader = FRAMES.tcp(1, 2, 0x02);
    tooShortHeader[54 + 12] = 0x40;
    assertEquals(Optional.empty(), read(tooShortHeader));
    byte[] tooLongHeader = FRAMES.tcp(1, 2, 0x02);
    tooLongHeader[54 + 12] = 0x60;
    assertEquals(Optional.empty(), read(tooLongHeader));
    byte[] otherVersion = FRAMES.tcp(1, 2, 0x02);
    otherVersion[14] = 0x40;
    assertEquals(Optional.empty(), read(otherVersion));
  }

  @Test
  void vlanTags_arePassed() {
    Packet packet = read(Frames.tagged(FRAMES.tcp(1, 2, 0x02), 5)).orElseThrow();
    assertEquals(SRC, packet.source());
    assertEquals(2, packet.dstPort());
  }

  @Test
  void neighbourMessages_areRead() {
    IPv6Address target = IPv6Address.of("fe80::1");
    NeighbourMessage asked =
        NeighbourMessage.of(read(FRAMES.solicitation(target)).orElseThrow()).orElseThrow();
    assertEquals(new NeighbourMessage(true, SRC, DST, target, SRC_MAC), asked);
    MacAddress its = MacAddress.of("02:00:00:00:00:77");
    NeighbourMessage told =
        NeighbourMessage.of(read(FRAMES.advertisement(target, its)).orElseThrow()).orElseThrow();
    assertEquals(new NeighbourMessage(false, SRC, DST, target, its), told);
    byte[] withoutOption = FRAMES.icmp(136, 255, 0x4000_0000, target.getBytes());
    assertEquals(
        SRC_MAC, NeighbourMessage.of(read(withoutOption).orElseThrow()).orElseThrow().mac());
  }

  @Test
  void claimedAddress_isTheSenders_orTheOneInAnAnswer() {
    IPv6Address target = IPv6Address.of("2001:db8::9");
    assertEquals(SRC, message(FRAMES.solicitation(target)).claimed());
    assertEquals(target, message(FRAMES.advertisement(target, SRC_MAC)).claimed());
    byte[] request = Frames.arpRequest(SRC_MAC, IP, IP_OTHER);
    assertEquals(new NeighbourMessage(true, IP, IP_OTHER, IP_OTHER, SRC_MAC), message(request));
    assertEquals(IP, message(request).claimed());
    byte[] reply = Frames.arpReply(SRC_MAC, DST_MAC, IP, IP_OTHER);
    assertEquals(new NeighbourMessage(false, IP, IP_OTHER, IP, SRC_MAC), message(reply));
    assertEquals(IP, message(reply).claimed());
  }

  @Test
  void question_isWhatAnotherHostIsToAnswer() {
    assertTrue(message(FRAMES.solicitation(DST)).isQuestion());
    assertTrue(message(Frames.arpRequest(SRC_MAC, IP, IP_OTHER)).isQuestion());
    assertFalse(message(Frames.arpRequest(SRC_MAC, IP, IP)).isQuestion());
    assertFalse(message(FRAMES.advertisement(SRC, SRC_MAC)).isQuestion());
  }

  private static NeighbourMessage message(byte[] frame) {
    return NeighbourMessage.of(Packet.parse(frame)).orElseThrow();
  }

  @Test
  void neighbourMessage_aboutAGroup_isNone() {
    byte[] frame = FRAMES.solicitation(IPv6Address.of("ff02::1"));
    assertEquals(Optional.empty(), NeighbourMessage.of(Packet.parse(frame)));
  }

  @Test
  void neighbourMessage_fromAfar_isNone() {
    byte[] forged = FRAMES.icmp(136, 254, 0x6000_0000, DST.getBytes());
    assertEquals(Optional.empty(), NeighbourMessage.of(read(forged).orElseThrow()));
    byte[] cut = FRAMES.icmp(136, 255, 0x6000_0000, new byte[15]);
    assertEquals(Optional.empty(), NeighbourMessage.of(read(cut).orElseThrow()));
    byte[] echo = FRAMES.icmp(129, 255, 1, new byte[16]);
    assertEquals(Optional.empty(), NeighbourMessage.of(read(echo).orElseThrow()));
  }

  @Test
  void option_withoutLength_endsTheReading() {
    byte[] body = ByteBuffer.allocate(24).put(DST.getBytes()).array();
    Packet packet = read(FRAMES.icmp(136, 255, 0, body)).orElseThrow();
    assertEquals(SRC_MAC, NeighbourMessage.of(packet).orElseThrow().mac());
  }
}
