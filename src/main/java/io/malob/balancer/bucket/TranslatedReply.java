package io.malob.balancer.bucket;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.packet.Packet;
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
}
