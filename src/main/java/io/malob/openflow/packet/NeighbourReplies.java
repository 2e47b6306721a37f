package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the frames by which neighbours learn MACs: by ARP, and by ICMPv6 (RFC 4861). Pure. */
public final class NeighbourReplies {
  /** Advertisement flags: solicited, and override. */
  private static final int SOLICITED_OVERRIDE = 0x6000_0000;

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
    Replies.Ends ends =
        new Replies.Ends(mac, MacAddress.of(groupMac), own, 0, IPv6Address.of(group), 0);
    return message(
        ends, NeighbourMessage.SOLICITATION, 0, target, NeighbourMessage.OPTION_SOURCE_MAC);
  }

  /** Answers a solicitation with this MAC. */
  public static byte[] advertisement(NeighbourMessage solicitation, MacAddress mac) {
    Replies.Ends ends =
        new Replies.Ends(
            mac, solicitation.mac(), solicitation.target(), 0, solicitation.sender(), 0);
    return message(
        ends,
        NeighbourMessage.ADVERTISEMENT,
        SOLICITED_OVERRIDE,
        solicitation.target(),
        NeighbourMessage.OPTION_TARGET_MAC);
  }

  private static byte[] message(
      Replies.Ends ends, int type, int flags, IPv6Address target, int option) {
    ByteBuffer message =
        ByteBuffer.allocate(NeighbourMessage.BYTES + NeighbourMessage.OPTION_BYTES)
            .put(0, (byte) type)
            .putInt(4, flags)
            .put(8, target.getBytes())
            .put(NeighbourMessage.BYTES, (byte) option)
            .put(NeighbourMessage.BYTES + 1, (byte) 1)
            .put(NeighbourMessage.BYTES + 2, ends.srcMac().getBytes());
    return IpFrames.of(ends, Ipv6Packet.PROTOCOL_ICMPV6, NeighbourMessage.HOP_LIMIT, message, 2);
  }
}
