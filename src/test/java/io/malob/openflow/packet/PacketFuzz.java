package io.malob.openflow.packet;

import io.malob.algorithm.FiveTuple;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * Does with a frame all that modules do with what comes in: whatever the bytes are, nothing may
 * throw, the bytes must stay as they are, and what is made of them must be readable again. In the
 * form that Jazzer calls.
 */
public final class PacketFuzz {
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");
  private static final IPv4Address HOST = IPv4Address.of("192.0.2.1");
  private static final IPv6Address HOST6 = IPv6Address.of("2001:db8::1");

  private PacketFuzz() {}

  /** Takes one frame. */
  public static void fuzzerTestOneInput(byte[] frame) {
    Packet packet = Packet.parse(frame);
    check(packet.toString().length() > 0, "a text");
    check(packet.udpPayload().length == packet.udpPayloadBytes(), "as many bytes as it says");
    FiveTuple tuple = packet.fiveTuple();
    check(tuple.reversed().reversed().equals(tuple), "the same, twice reversed");
    sender(packet, frame);
    switch (packet.kind()) {
      case ARP -> reads(Packet.Kind.ARP, Replies.arpReply(packet, MAC));
      case TCP -> {
        check(packet.tcpSequenceLength() >= 0, "a length");
        ip(packet);
        if (!packet.isFragment()) {
          reads(Packet.Kind.TCP, Replies.tcpReset(packet));
        }
      }
      case UDP, ICMP, OTHER_IP -> ip(packet);
      case OTHER -> check(!packet.isIp(), "another protocol");
      case MALFORMED -> check(!packet.isIp(), "nothing that could be carried");
    }
  }

  private static void sender(Packet packet, byte[] frame) {
    check(FrameSender.mac(frame) == packet.srcMac().getLong(), "one MAC");
    if (packet.kind() == Packet.Kind.ARP || packet.isIpv4()) {
      check(FrameSender.address(frame).equals(packet.source()), "one sender");
    }
    if (packet.isIpv6()) {
      check(FrameSender.address(frame).equals(packet.source()), "one sender");
    }
    @Nullable IPAddress<?> advertised = FrameSender.advertised(frame);
    NeighbourMessage.of(packet)
        .filter(message -> !message.isSolicitation() && packet.kind() != Packet.Kind.ARP)
        .ifPresent(
            message ->
                check(advertised == null || message.claimed().equals(advertised), "one claim"));
  }

  private static void ip(Packet packet) {
    if (packet.isIpv4()) {
      ipv4(packet);
    } else {
      check(packet.source().getIpVersion() == IPVersion.IPv6, "an address");
      ipv6(packet);
    }
  }

  private static void ipv4(Packet packet) {
    check(packet.icmpIdentifier() >= 0 && packet.icmpSequence() >= 0, "numbers");
    reads(Packet.Kind.ICMP, Replies.portUnreachable(packet));
    reads(Packet.Kind.ICMP, Replies.networkUnreachable(packet));
    if (packet.isFragment()) {
      byte[] moved = FragmentTranslation.translated(packet, MAC, MAC, HOST.getInt(), HOST.getInt());
      reads(packet.kind(), moved);
      check(Packet.parse(moved).srcAddress() == HOST.getInt(), "its new source");
    }
    QuotedPacket.of(packet)
        .ifPresent(
            quoted -> {
              check(quoted.srcPort() >= 0 && quoted.dstPort() >= 0, "ports");
              reads(Packet.Kind.ICMP, quoted.withReceiver(MAC, MAC, HOST, 1));
              byte[] moved = quoted.readdressed(MAC, MAC, HOST);
              reads(Packet.Kind.ICMP, moved);
              check(Packet.parse(moved).dstAddress() == HOST.getInt(), "its new destination");
            });
  }

  private static void ipv6(Packet packet) {
    check(packet.toString().length() > 0, "a text");
    check(packet.srcPort() >= 0 && packet.dstPort() >= 0, "ports");
    check(readsIpv6(Replies.networkUnreachable(packet)), "an answer");
    if (packet.hasTcpFlags(0)) {
      check(readsIpv6(Replies.tcpReset(packet)), "a reset");
    }
    NeighbourMessage.of(packet)
        .ifPresent(
            message ->
                check(
                    readsIpv6(NeighbourReplies.answer(Packet.parse(packet.frame()), message, MAC)),
                    "an advertisement"));
    QuotedPacket.of(packet)
        .ifPresent(
            quoted -> {
              check(quoted.srcPort() >= 0 && quoted.dstPort() >= 0, "ports");
              check(readsIpv6(quoted.withReceiver(MAC, MAC, HOST6, 1)), "about another receiver");
              byte[] moved = quoted.readdressed(MAC, MAC, HOST6);
              check(readsIpv6(moved), "the same error");
              check(Packet.parse(moved).destination().equals(HOST6), "its new destination");
            });
  }

  private static void reads(Packet.Kind kind, byte[] made) {
    Packet.Kind read = Packet.parse(made).kind();
    check(read == kind, kind + ", not " + read);
  }

  private static boolean readsIpv6(byte[] made) {
    return Packet.parse(made).isIpv6();
  }

  private static void check(boolean holds, String expected) {
    if (!holds) {
      throw new AssertionError("expected " + expected);
    }
  }
}
