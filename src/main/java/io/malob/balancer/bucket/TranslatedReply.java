package io.malob.balancer.bucket;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.state.catalog.CatalogSnapshot;
import org.projectfloodlight.openflow.protocol.OFPacketIn;

/**
 * Recognizes a member's reply that a switch has given the address of a proactive VIP, and that no
 * rule leads to its client. Pure.
 */
public final class TranslatedReply {
  private TranslatedReply() {}

  /**
   * Whether a packet-in is such a reply. Only translated packets come to the table of requests, or
   * by a rule of a proactive VIP in one table, from the address of a VIP; those of a host that
   * claims the address do not. The VIP may be reactive by now: its rules stay while it becomes so.
   *
   * @param packet the packet-in's packet
   */
  public static boolean is(OFPacketIn packetIn, Packet packet, CatalogSnapshot catalog) {
    boolean isMiss =
        packetIn.getTableId().equals(FlowLayout.REQUESTS)
            && Cookie.is(packetIn.getCookie(), CookieKind.SWITCH);
    boolean isTranslated =
        packetIn.getTableId().equals(FlowLayout.CLASSIFY)
            && Cookie.is(packetIn.getCookie(), CookieKind.PROACTIVE);
    return (isMiss || isTranslated)
        && packet.isIp()
        && catalog.isVipAddress(packet.source())
        && !catalog.isVipAddress(packet.dstAddress());
  }

  /**
   * Such a reply as it is to be addressed: to the next hop that the member has chosen or, if that
   * is an edge because the member does not see clients, to the one that the edge has kept.
   */
  public static Packet addressed(OFPacketIn packetIn, Packet packet) {
    return ConntrackMatch.senderIn(packetIn.getMatch())
        .map(
            nextHop -> {
              byte[] frame = packetIn.getData().clone();
              System.arraycopy(nextHop.getBytes(), 0, frame, 0, nextHop.getBytes().length);
              return Packet.parse(frame);
            })
        .orElse(packet);
  }
}
