package io.malob.openflow.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.packet.Packet.Kind;
import io.malob.testing.Frames;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class RepliesTest {
  private static final MacAddress CLIENT = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress VIP = MacAddress.of("0e:00:00:00:00:0b");
  private static final IPv4Address CLIENT_IP = IPv4Address.of("10.0.0.1");
  private static final IPv4Address VIP_IP = IPv4Address.of("10.0.0.100");

  private static final int IP_AT = 14;
  private static final int TCP_AT = 34;

  private static byte[] hex(String digits) {
    String compact = digits.replace(" ", "");
    byte[] bytes = new byte[compact.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(compact.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  /** A TCP segment of the client with these numbers and that much data. */
  private static byte[] segment(int flags, int sequence, int acknowledgement, int dataBytes) {
    byte[] frame = Frames.tcp(CLIENT, VIP, CLIENT_IP, 40_000, VIP_IP, 80, flags);
    byte[] longer = Arrays.copyOf(frame, frame.length + dataBytes);
    return ByteBuffer.wrap(longer)
        .putShort(IP_AT + 2, (short) (40 + dataBytes))
        .putInt(TCP_AT + 4, sequence)
        .putInt(TCP_AT + 8, acknowledgement)
        .array();
  }

  /**
   * The sum of all 16-bit words in ones' complement, which is all ones where the checksum is right:
   * computed as the remainder of the whole number by 2^16 - 1.
   */
  private static boolean sumsToOnes(byte[] bytes) {
    byte[] even = Arrays.copyOf(bytes, bytes.length + bytes.length % 2);
    BigInteger sum = new BigInteger(1, even).mod(BigInteger.valueOf(0xffff));
    return sum.signum() == 0;
  }

  private static void assertChecksums(byte[] frame, int network) {
    ByteBuffer buffer = ByteBuffer.wrap(frame);
    int total = buffer.getShort(network + 2) & 0xffff;
    assertEquals(frame.length, network + total);
    assertEquals(
        true, sumsToOnes(Arrays.copyOfRange(frame, network, network + 20)), "IPv4 checksum");
    int protocol = frame[network + 9];
    ByteArrayOutputStream summed = new ByteArrayOutputStream();
    if (protocol == 6) {
      summed.write(frame, network + 12, 8);
      summed.writeBytes(new byte[] {0, 6, (byte) ((total - 20) >> 8), (byte) (total - 20)});
    }
    summed.write(frame, network + 20, total - 20);
    assertEquals(true, sumsToOnes(summed.toByteArray()), "checksum of protocol " + protocol);
  }

  @Test
  void tcpSyn_hasTheTupleAndNoOptions() {
    byte[] syn =
        Replies.tcpSyn(
            Replies.Ends.of(
                VIP, CLIENT, FiveTuple.of(6, VIP_IP.getInt(), 80, CLIENT_IP.getInt(), 40_000)));

    Packet packet = Packet.parse(syn);
    assertEquals(true, packet.isTcpSyn());
    assertEquals(
        FiveTuple.of(6, VIP_IP.getInt(), 80, CLIENT_IP.getInt(), 40_000), packet.fiveTuple());
    assertEquals(VIP, packet.srcMac());
    assertEquals(CLIENT, packet.dstMac());
    assertEquals(54, syn.length);
    assertChecksums(syn, IP_AT);
  }

  @Test
  void tcpAck_hasTheTupleAndAcknowledgesNothing() {
    byte[] ack = Replies.tcpAck(new Replies.Ends(VIP, CLIENT, VIP_IP, 80, CLIENT_IP, 40_000));

    Packet packet = Packet.parse(ack);
    assertEquals(Packet.TCP_ACK, ack[IP_AT + 20 + 13]);
    assertEquals(0, packet.tcpAcknowledgement());
    assertEquals(
        FiveTuple.of(6, VIP_IP.getInt(), 80, CLIENT_IP.getInt(), 40_000), packet.fiveTuple());
    assertChecksums(ack, IP_AT);
  }

  @Test
  void arpRequest_isBroadcastForTheTarget() {
    assertArrayEquals(
        hex(
            "ffffffffffff 0e000000000b 0806 0001 0800 06 04 0001"
                + "0e000000000b 0a000064 000000000000 0a000001"),
        Replies.arpRequest(VIP, VIP_IP, CLIENT_IP));
  }

  @Test
  void arpReply_isSentToTheAsker() {
    Packet request = Packet.parse(Frames.arpRequest(CLIENT, CLIENT_IP, VIP_IP));
    assertArrayEquals(
        hex(
            "02000000000a 0e000000000b 0806 0001 0800 06 04 0002"
                + "0e000000000b 0a000064 02000000000a 0a000001"),
        Replies.arpReply(request, VIP));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 4_095})
  void arpReply_toTaggedRequest_keepsItsTags(int vlan) {
    byte[] request = Frames.arpRequest(CLIENT, CLIENT_IP, VIP_IP);
    byte[] reply = Replies.arpReply(Packet.parse(request), VIP);
    assertArrayEquals(
        Frames.tagged(reply, vlan),
        Replies.arpReply(Packet.parse(Frames.tagged(request, vlan)), VIP));
    assertArrayEquals(
        Frames.tagged(Frames.tagged(reply, vlan), 7),
        Replies.arpReply(Packet.parse(Frames.tagged(Frames.tagged(request, vlan), 7)), VIP));
  }

  /** RFC 9293, section 3.10.7.1. */
  @ParameterizedTest
  @CsvSource({
    // what comes: flags, sequence, acknowledgement, data; the reset: flags, sequence, ack.
    "0x02, 1000, 0, 0, 0x14, 0, 1001", // SYN
    "0x02, 1000, 0, 100, 0x14, 0, 1101", // SYN with data
    "0x02, 1000, 0, 1, 0x14, 0, 1002", // SYN with data of odd length
    "0x02, 0xffffffff, 0, 0, 0x14, 0, 0", // the sequence number wraps around
    "0x02, 0xffffffff, 0, 2, 0x14, 0, 2",
    "0x10, 1000, 77, 0, 0x04, 77, 0", // ACK
    "0x18, 1000, 0xfffffffe, 33, 0x04, 0xfffffffe, 0", // data
    "0x12, 1000, 5, 0, 0x04, 5, 0", // SYN and ACK
    "0x11, 1000, 78, 0, 0x04, 78, 0", // FIN with ACK
    "0x01, 1000, 0, 0, 0x14, 0, 1001", // FIN alone
    "0x01, 1000, 0, 10, 0x14, 0, 1011",
    "0x00, 1000, 9, 10, 0x14, 0, 1010", // nothing
  })
  void tcpReset_ofSegment_hasTheNumbersThatMakeItAcceptable(
      String flags,
      String sequence,
      String acknowledgement,
      int dataBytes,
      String resetFlags,
      String resetSequence,
      String resetAcknowledgement) {
    byte[] segment =
        segment(
            Integer.decode(flags),
            Long.decode(sequence).intValue(),
            Long.decode(acknowledgement).intValue(),
            dataBytes);
    byte[] reset = Replies.tcpReset(Packet.parse(segment));
    Packet packet = Packet.parse(reset);
    assertEquals(Kind.TCP, packet.kind());
    assertEquals(54, reset.length);
    assertEquals(Integer.decode(resetFlags), reset[TCP_AT + 13] & 0xff);
    assertEquals(Long.decode(resetSequence).intValue(), packet.tcpSequence());
    assertEquals(Long.decode(resetAcknowledgement).intValue(), packet.tcpAcknowledgement());
    assertEquals(Packet.parse(segment).fiveTuple().reversed(), packet.fiveTuple());
    assertEquals(VIP, packet.srcMac());
    assertEquals(CLIENT, packet.dstMac());
    assertChecksums(reset, IP_AT);
  }

  @Test
  void tcpReset_ofTaggedSegmentWithOptions_keepsTagsAndLeavesOptions() {
    byte[] segment = segment(0x02, 5, 0, 0);
    byte[] plain = Replies.tcpReset(Packet.parse(segment));
    byte[] twice = Frames.tagged(Frames.tagged(segment, 3), 4_000);
    byte[] reset = Replies.tcpReset(Packet.parse(twice));
    assertArrayEquals(Frames.tagged(Frames.tagged(plain, 3), 4_000), reset);
    assertChecksums(reset, IP_AT + 8);
    byte[] withOptions = new byte[segment.length + 8];
    System.arraycopy(segment, 0, withOptions, 0, TCP_AT);
    System.arraycopy(segment, TCP_AT, withOptions, TCP_AT + 8, 20);
    withOptions[IP_AT] = 0x47;
    withOptions[IP_AT + 3] = 48;
    assertArrayEquals(plain, Replies.tcpReset(Packet.parse(withOptions)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 99, 1_400, 1_401})
  void portUnreachable_ofDatagram_quotesHeaderAndEightBytes(int dataBytes) {
    byte[] datagram = Frames.udp(CLIENT, VIP, CLIENT_IP, 53, VIP_IP, 5_353, new byte[dataBytes]);
    byte[] reply = Replies.portUnreachable(Packet.parse(datagram));
    Packet packet = Packet.parse(reply);
    assertEquals(Kind.ICMP, packet.kind());
    assertEquals(VIP_IP.getInt(), packet.srcAddress());
    assertEquals(CLIENT_IP.getInt(), packet.dstAddress());
    assertEquals(CLIENT, packet.dstMac());
    assertEquals(VIP, packet.srcMac());
    assertEquals(3, reply[TCP_AT]);
    assertEquals(3, reply[TCP_AT + 1]);
    assertArrayEquals(
        Arrays.copyOfRange(datagram, IP_AT, IP_AT + 28),
        Arrays.copyOfRange(reply, TCP_AT + 8, reply.length));
    assertChecksums(reply, IP_AT);
  }

  @Test
  void portUnreachable_ofTaggedDatagram_keepsItsTag() {
    byte[] datagram = Frames.udp(CLIENT, VIP, CLIENT_IP, 53, VIP_IP, 53, new byte[5]);
    byte[] reply = Replies.portUnreachable(Packet.parse(Frames.tagged(datagram, 9)));
    assertArrayEquals(Frames.tagged(Replies.portUnreachable(Packet.parse(datagram)), 9), reply);
    assertChecksums(reply, IP_AT + 4);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9})
  void portUnreachable_ofShortPacketOfAnyProtocol_quotesWhatIsThere(int payloadBytes) {
    byte[] header = Frames.ipv4(CLIENT, VIP, CLIENT_IP, VIP_IP, 47);
    byte[] frame = Arrays.copyOf(header, header.length + payloadBytes);
    frame[IP_AT + 3] = (byte) (20 + payloadBytes);
    frame[frame.length - 1] ^= 0x5a;
    byte[] reply = Replies.portUnreachable(Packet.parse(frame));
    assertEquals(TCP_AT + 8 + 20 + Math.min(8, payloadBytes), reply.length);
    assertChecksums(reply, IP_AT);
  }
}
