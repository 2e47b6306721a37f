package io.malob.openflow.packet;

import com.google.common.primitives.Bytes;
import com.google.common.primitives.Shorts;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the frames by which neighbours learn MACs: by ARP, and by ICMPv6 (RFC 4861). Pure. */
public final class NeighbourReplies {
  // flags of advertisements
  private static final int SOLICITED = 0x4000_0000;
  private static final int OVERRIDE = 0x2000_0000;

  private static final int TYPE_AT = 12;
  private static final byte[] TYPE_OF_IPV6 = Shorts.toByteArray((short) Packet.ETHERTYPE_IPV6);
  private static final IPv6Address ALL_NODES = IPv6Address.of("ff02::1");
  private static final MacAddress ALL_NODES_MAC = MacAddress.of("33:33:00:00:00:01");

  private NeighbourReplies() {}

  /**
   * A request for the MAC of an address.
   *
   * @param own an address of the same IP version, to which the answer goes
   */
  public static byte[] question(MacAddress mac, IPAddress<?> own, IPAddress<?> target) {
    return own instanceof IPv4Address sender && target instanceof IPv4Address asked
        ? Replies.arpRequest(mac, sender, asked)
        : solicitation(mac, (IPv6Address) own, (IPv6Address) target);
  }

  /** A multicast request for the MAC of an address (RFC 4861, section 7.2.2). */
  static byte[] solicitation(MacAddress mac, IPv6Address own, IPv6Address target) {
    byte[] asked = target.getBytes();
    byte[] group = IPv6Address.of("ff02::1:ff00:0").getBytes();
    System.arraycopy(asked, 13, group, 13, 3);
    byte[] groupMac = {0x33, 0x33, (byte) 0xff, asked[13], asked[14], asked[15]};
    ByteBuffer message =
        message(NeighbourMessage.SOLICITATION, 0, target, NeighbourMessage.OPTION_SOURCE_MAC, mac);
    return frame(
        link(MacAddress.of(groupMac), mac, TYPE_OF_IPV6), own, IPv6Address.of(group), message);
  }

  /** Answers a solicitation with this MAC. */
  public static byte[] advertisement(NeighbourMessage solicitation, MacAddress mac) {
    return advertisement(
        link(solicitation.mac(), mac, TYPE_OF_IPV6),
        solicitation.target(),
        solicitation.sender(),
        mac);
  }

  /**
   * Answers a question of either IP version with this MAC, to its sender, with the VLAN tags of its
   * frame. A sender that checks whether an IPv6 address is free has no address yet, so that the
   * answer goes to all hosts (RFC 4861, section 7.2.4).
   */
  public static byte[] answer(Packet frame, NeighbourMessage question, MacAddress mac) {
    if (frame.kind() == Packet.Kind.ARP) {
      return Replies.arpReply(frame, mac);
    }
    boolean hasSender = !question.sender().isUnspecified();
    byte[] tagsAndType = Arrays.copyOfRange(frame.frame(), TYPE_AT, frame.networkOffset());
    return advertisement(
        link(hasSender ? frame.srcMac() : ALL_NODES_MAC, mac, tagsAndType),
        question.target(),
        hasSender ? question.sender() : ALL_NODES,
        mac);
  }

  /**
   * Announces the MAC of an address to all hosts of a link: by gratuitous ARP (RFC 5227, section
   * 3), or by an unsolicited advertisement (RFC 4861, section 7.2.6).
   */
  public static byte[] announcement(MacAddress mac, IPAddress<?> address) {
    return address instanceof IPv4Address ipv4
        ? Replies.arpRequest(mac, ipv4, ipv4)
        : advertisement(link(ALL_NODES_MAC, mac, TYPE_OF_IPV6), address, ALL_NODES, mac);
  }

  private static byte[] advertisement(
      byte[] link, IPAddress<?> target, IPAddress<?> receiver, MacAddress mac) {
    int flags = receiver.isMulticast() ? OVERRIDE : SOLICITED | OVERRIDE;
    ByteBuffer message =
        message(
            NeighbourMessage.ADVERTISEMENT, flags, target, NeighbourMessage.OPTION_TARGET_MAC, mac);
    return frame(link, target, receiver, message);
  }

  private static byte[] link(MacAddress dst, MacAddress src, byte[] tagsAndType) {
    return Bytes.concat(dst.getBytes(), src.getBytes(), tagsAndType);
  }

  private static ByteBuffer message(
      int type, int flags, IPAddress<?> target, int option, MacAddress mac) {
    return ByteBuffer.allocate(NeighbourMessage.BYTES + NeighbourMessage.OPTION_BYTES)
        .put(0, (byte) type)
        .putInt(4, flags)
        .put(8, target.getBytes())
        .put(NeighbourMessage.BYTES, (byte) option)
        .put(NeighbourMessage.BYTES + 1, (byte) 1)
        .put(NeighbourMessage.BYTES + 2, mac.getBytes());
  }

  private static byte[] frame(byte[] link, IPAddress<?> src, IPAddress<?> dst, ByteBuffer message) {
    return IpFrames.of(
        link, src, dst, Packet.PROTOCOL_ICMPV6, NeighbourMessage.HOP_LIMIT, message, 2);
  }
}
