package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.packet.Packet.Kind;
import io.malob.testing.Frames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class PacketTest {

  @Test
  void udpPayload_isWhatTheDatagramCarries_withoutPadding() {
    byte[] frame =
        Frames.udp(
            MacAddress.of(1),
            MacAddress.of(2),
            IPv4Address.of("10.0.0.1"),
            5_000,
            IPv4Address.of("10.0.0.2"),
            9_876,
            new byte[] {1, 2, 3});
    Packet padded = Packet.parse(Arrays.copyOf(frame, 60));

    assertEquals(3, padded.udpPayloadBytes());
    assertArrayEquals(new byte[] {1, 2, 3}, padded.udpPayload());
    assertEquals(0, Packet.parse(new byte[60]).udpPayloadBytes());
    assertEquals(0, Packet.parse(new byte[60]).udpPayload().length);
  }

  private static final MacAddress A = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress B = MacAddress.of("f2:00:00:00:ff:0b");
  private static final IPv4Address IP_A = IPv4Address.of("10.0.0.1");
  private static final IPv4Address IP_B = IPv4Address.of("200.255.0.2");
  private static final byte[] TCP = Frames.tcp(A, B, IP_A, 40_000, IP_B, 65_535, 0x02);
  private static final byte[] UDP = Frames.udp(A, B, IP_A, 53, IP_B, 32_768, new byte[] {1, 2, 3});
  private static final byte[] PING = Frames.echoRequest(A, B, IP_A, IP_B);
  private static final byte[] ARP = Frames.arpRequest(A, IP_A, IP_B);
  private static final byte[] GRE = Frames.ipv4(A, B, IP_A, IP_B, 47);
  private static final byte[] LLDP = Frames.ethernet(A, B, Packet.ETHERTYPE_LLDP, new byte[20]);

  private static final int IP_AT = 14;

  /** The frame with another value of two bytes. */
  private static byte[] with(byte[] frame, int at, int value) {
    return ByteBuffer.wrap(frame.clone()).putShort(at, (short) value).array();
  }

  /** The IPv4 frame with options of that many words between its headers. */
  private static byte[] withOptions(byte[] frame, int words) {
    byte[] longer = new byte[frame.length + 4 * words];
    System.arraycopy(frame, 0, longer, 0, IP_AT + 20);
    System.arraycopy(frame, IP_AT + 20, longer, IP_AT + 20 + 4 * words, frame.length - IP_AT - 20);
    longer[IP_AT] = (byte) (0x45 + words);
    return with(longer, IP_AT + 2, frame.length - IP_AT + 4 * words);
  }

  @Test
  void parse_ofTcp_readsAllFields() {
    Packet packet = Packet.parse(TCP);
    assertEquals(Kind.TCP, packet.kind());
    assertEquals(A, packet.srcMac());
    assertEquals(B, packet.dstMac());
    assertEquals(Packet.ETHERTYPE_IPV4, packet.etherType());
    assertTrue(packet.isIpv4());
    assertEquals(6, packet.protocol());
    assertEquals(FiveTuple.of(6, IP_A.getInt(), 40_000, IP_B.getInt(), 65_535), packet.fiveTuple());
    assertTrue(packet.isTcpSyn());
    assertEquals(1_000, packet.tcpSequence());
    assertEquals(0, packet.tcpAcknowledgement());
    assertEquals(1, packet.tcpSequenceLength());
  }

  @Test
  void parse_ofUdpPingAndOtherProtocol_readsWhatTheyHave() {
    assertEquals(Kind.UDP, Packet.parse(UDP).kind());
    assertEquals(
        FiveTuple.of(17, IP_A.getInt(), 53, IP_B.getInt(), 32_768), Packet.parse(UDP).fiveTuple());
    assertEquals(Kind.ICMP, Packet.parse(PING).kind());
    assertEquals(8, Packet.parse(PING).icmpType());
    assertEquals(
        FiveTuple.of(1, IP_A.getInt(), 0, IP_B.getInt(), 0), Packet.parse(PING).fiveTuple());
    assertEquals(Kind.OTHER_IP, Packet.parse(GRE).kind());
    assertEquals(47, Packet.parse(GRE).protocol());
    assertTrue(Packet.parse(GRE).isIpv4());
  }

  @Test
  void parse_ofArp_readsSenderAndTarget() {
    Packet request = Packet.parse(ARP);
    assertEquals(Kind.ARP, request.kind());
    assertEquals(Packet.ARP_REQUEST, request.arpOperation());
    assertEquals(IP_A.getInt(), request.srcAddress());
    assertEquals(IP_B.getInt(), request.dstAddress());
    assertEquals(A, request.arpSenderMac());
    assertTrue(request.isMulticast());
    assertFalse(request.isIpv4());
    Packet reply = Packet.parse(Frames.arpReply(A, B, IP_A, IP_B));
    assertEquals(Packet.ARP_REPLY, reply.arpOperation());
    assertFalse(reply.isMulticast());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5}) // hardware, protocol, and the lengths of their addresses
  void parse_ofArpForAnythingButIpv4OnEthernet_isMalformed(int offset) {
    byte[] frame = ARP.clone();
    frame[IP_AT + offset] ^= 0x10;
    assertEquals(Kind.MALFORMED, Packet.parse(frame).kind());
  }

  @Test
  void parse_ofOtherEtherType_isOther() {
    assertEquals(Kind.OTHER, Packet.parse(LLDP).kind());
    assertEquals(Packet.ETHERTYPE_LLDP, Packet.parse(LLDP).etherType());
    assertEquals(Kind.MALFORMED, Packet.parse(Frames.ethernet(A, B, 0x86dd, new byte[40])).kind());
    assertEquals(Kind.OTHER, Packet.parse(Frames.ethernet(A, B, 0x1234, new byte[0])).kind());
  }

  @ParameterizedTest
  @CsvSource({
    "0x02, true, 1",
    "0x12, false, 1",
    "0x10, false, 0",
    "0x01, false, 1",
    "0x11, false, 1",
    "0x04, false, 0",
    "0x00, false, 0",
    "0xc2, true, 1",
    "0x03, true, 2"
  })
  void isTcpSyn_byFlags_isOnlyTheFirstPacket(String flags, boolean syn, int sequenceLength) {
    Packet packet = Packet.parse(Frames.tcp(A, B, IP_A, 1, IP_B, 2, Integer.decode(flags)));
    assertEquals(syn, packet.isTcpSyn());
    assertEquals(sequenceLength, packet.tcpSequenceLength());
  }

  @Test
  void hasTcpFlags_ofUdp_isFalse() {
    assertFalse(Packet.parse(UDP).hasTcpFlags(0));
    assertFalse(Packet.parse(UDP).isTcpSyn());
  }

  static Stream<Arguments> kinds() {
    return Stream.of(
        kind("TCP", TCP, Kind.TCP),
        kind("UDP", UDP, Kind.UDP),
        kind("ping", PING, Kind.ICMP),
        kind("ARP", ARP, Kind.ARP),
        kind("GRE", GRE, Kind.OTHER_IP));
  }

  private static Arguments kind(String name, byte[] frame, Kind kind) {
    return Arguments.of(Named.of(name, frame), kind);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void parse_behindOneOrTwoTags_isTheSame(byte[] frame, Kind kind) {
    Packet plain = Packet.parse(frame);
    byte[] single = Frames.tagged(frame, 100);
    byte[] provider = with(Frames.tagged(single, 200), 12, 0x88a8);
    for (byte[] tagged : List.of(single, Frames.tagged(single, 200), provider)) {
      Packet packet = Packet.parse(tagged);
      assertEquals(kind, packet.kind());
      assertEquals(plain.etherType(), packet.etherType());
      assertEquals(plain.fiveTuple(), packet.fiveTuple());
      assertEquals(plain.srcMac(), packet.srcMac());
    }
  }

  @Test
  void parse_behindThreeTags_isOther() {
    Packet packet = Packet.parse(Frames.tagged(Frames.tagged(Frames.tagged(TCP, 1), 2), 3));
    assertEquals(Kind.OTHER, packet.kind());
    assertEquals(0x8100, packet.etherType());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void parse_cutAtAnyLength_isMalformed(byte[] frame, Kind kind) {
    for (byte[] whole : List.of(frame, Frames.tagged(frame, 5))) {
      for (int length = 0; length < whole.length; length++) {
        Packet packet = Packet.parse(Arrays.copyOf(whole, length));
        assertEquals(Kind.MALFORMED, packet.kind(), kind + " cut to " + length);
        assertFalse(packet.isIpv4());
        useAll(packet);
      }
      assertEquals(kind, Packet.parse(whole).kind());
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void parse_withPadding_ignoresIt(byte[] frame, Kind kind) {
    Packet packet = Packet.parse(Arrays.copyOf(frame, frame.length + 46));
    assertEquals(kind, packet.kind());
    assertEquals(Packet.parse(frame).fiveTuple(), packet.fiveTuple());
    if (kind == Kind.TCP) {
      assertEquals(1, packet.tcpSequenceLength());
      assertEquals(40, packet.end() - packet.networkOffset());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10})
  void parse_behindIpOptions_findsPorts(int words) {
    Packet packet = Packet.parse(withOptions(TCP, words));
    assertEquals(Kind.TCP, packet.kind());
    assertEquals(Packet.parse(TCP).fiveTuple(), packet.fiveTuple());
    assertTrue(packet.isTcpSyn());
  }

  @Test
  void parse_ofFragments_readsPortsOfTheFirstOnly() {
    int moreFragments = 0x2000;
    Packet first = Packet.parse(with(TCP, IP_AT + 6, moreFragments));
    assertEquals(Kind.TCP, first.kind());
    assertEquals(40_000, first.srcPort());
    for (int offset : new int[] {1, 0x1fff, moreFragments | 185}) {
      Packet later = Packet.parse(with(TCP, IP_AT + 6, offset));
      assertEquals(Kind.OTHER_IP, later.kind());
      assertEquals(FiveTuple.of(6, IP_A.getInt(), 0, IP_B.getInt(), 0), later.fiveTuple());
      assertFalse(later.isTcpSyn());
    }
    assertEquals(Kind.TCP, Packet.parse(with(TCP, IP_AT + 6, 0x4000)).kind(), "do not fragment");
  }

  @ParameterizedTest
  @ValueSource(ints = {0x4400, 0x4000, 0x5500, 0x6500, 0x0500, 0xc500, 0xf500})
  void parse_ofOtherVersionOrShortHeader_isMalformed(int firstBytes) {
    assertEquals(Kind.MALFORMED, Packet.parse(with(TCP, IP_AT, firstBytes)).kind());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 19, 20, 39, 41, 0x7fff, 0xffff})
  void parse_whereLengthsContradict_isMalformed(int totalBytes) {
    assertEquals(Kind.MALFORMED, Packet.parse(with(TCP, IP_AT + 2, totalBytes)).kind());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 6, 15})
  void parse_whereTcpHeaderIsTooShortOrLong_isMalformed(int words) {
    byte[] frame = TCP.clone();
    frame[IP_AT + 20 + 12] = (byte) (words << 4);
    assertEquals(Kind.MALFORMED, Packet.parse(frame).kind());
  }

  @Test
  void tcpSequenceLength_withDataAndOptions_countsTheDataOnly() {
    byte[] frame = Arrays.copyOf(TCP, TCP.length + 12 + 7);
    frame[IP_AT + 20 + 12] = (byte) 0x80; // 12 bytes of options
    Packet packet = Packet.parse(with(frame, IP_AT + 2, 40 + 12 + 7));
    assertEquals(1 + 7, packet.tcpSequenceLength());
  }

  @Test
  void parse_of200000MutatedFrames_neverThrows() {
    Random random = new Random(20_260_101);
    List<byte[]> frames = new ArrayList<>(List.of(TCP, UDP, PING, ARP, GRE, LLDP));
    frames.add(Frames.tagged(TCP, 100));
    frames.add(Frames.tagged(Frames.tagged(ARP, 100), 4_095));
    frames.add(withOptions(UDP, 3));
    frames.add(withOptions(Frames.tcp(A, B, IP_A, 1, IP_B, 2, 0x10), 10));
    Set<Kind> seen = EnumSet.noneOf(Kind.class);
    for (int i = 0; i < 200_000; i++) {
      byte[] frame = frames.get(random.nextInt(frames.size())).clone();
      for (int changes = random.nextInt(5); changes >= 0; changes--) {
        frame[random.nextInt(frame.length)] = (byte) random.nextInt();
      }
      if (random.nextInt(4) == 0) {
        frame = Arrays.copyOf(frame, random.nextInt(frame.length + 20));
      }
      Packet packet = Packet.parse(frame);
      useAll(packet);
      seen.add(packet.kind());
      if (frame.length < 14) {
        assertEquals(Kind.MALFORMED, packet.kind());
      } else if (!Set.of(0x0800, 0x0806).contains(packet.etherType())) {
        assertTrue(Set.of(Kind.OTHER, Kind.MALFORMED).contains(packet.kind()));
      }
      // what is answered must be answerable
      if (packet.kind() == Kind.TCP) {
        Replies.tcpReset(packet);
      } else if (packet.kind() == Kind.ARP) {
        Replies.arpReply(packet, A);
      }
      if (packet.isIpv4()) {
        Replies.portUnreachable(packet);
      }
    }
    assertEquals(EnumSet.allOf(Kind.class), seen);
  }

  private static void useAll(Packet packet) {
    assertNotNull(packet.toString());
    assertNotNull(packet.fiveTuple());
    assertNotNull(packet.srcMac());
    assertNotNull(packet.dstMac());
    assertNotNull(packet.arpSenderMac());
    boolean unused = packet.isMulticast() || packet.isTcpSyn() || packet.isIpv4();
    if (packet.kind() == Kind.TCP) {
      assertTrue(packet.tcpSequenceLength() >= 0);
    }
  }
}
