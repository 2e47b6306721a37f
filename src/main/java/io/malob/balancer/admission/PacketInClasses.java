package io.malob.balancer.admission;

import io.malob.balancer.bucket.TranslatedReply;
import io.malob.module.IPacketInQueueService;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.IpFamily;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Assigns packet-ins to queues for times of overload. Each VIP has one queue for SYNs and one for
 * other packets, so that packets of existing connections do not wait behind new connections.
 * Members' packets, members' replies to clients without rules, ICMP errors to VIPs, and agents'
 * reports have queues of their own. All other packets are distributed by ingress port. Thread-safe;
 * allocates next to nothing.
 */
public record PacketInClasses(Supplier<CatalogSnapshot> catalog)
    implements IPacketInQueueService.Classifier {
  /** Packets of members. */
  static final int MEMBERS = 1;

  private static final int REPORTS = 2;
  private static final int NO_VIP = 3;

  /** Replies of members to clients of proactive VIPs that no rule leads to. */
  static final int REPLIES = 4;

  /** ICMP errors to VIPs. */
  private static final int ERRORS = 5;

  private static final int ARP = 6;
  private static final int PORTS = 8;
  private static final int OTHER = ARP + PORTS;
  private static final int VIPS = OTHER + PORTS;

  @Override
  public int classOf(OFPacketIn packetIn) {
    Packet packet = Packet.parse(packetIn.getData());
    return switch (packet.kind()) {
      case TCP -> ofIp(packetIn, packet, Protocol.TCP, packet.dstPort());
      case UDP -> ofIp(packetIn, packet, Protocol.UDP, packet.dstPort());
      case ICMP -> ofIcmp(packetIn, packet);
      case ARP -> ARP + portOf(packetIn);
      case OTHER -> isLinkProbe(packet) ? IPacketInQueueService.FIRST : OTHER + portOf(packetIn);
      case OTHER_IP, MALFORMED -> OTHER + portOf(packetIn);
    };
  }

  private int ofIcmp(OFPacketIn packetIn, Packet packet) {
    if (packet.isNeighbourMessage()) {
      return ARP + portOf(packetIn);
    }
    return IpFamily.isIcmpError(packet) && catalog.get().isVipAddress(packet.dstAddress())
        ? ERRORS
        : ofIp(packetIn, packet, Protocol.ICMP, packet.icmpType());
  }

  private int ofIp(OFPacketIn packetIn, Packet packet, Protocol protocol, int port) {
    CatalogSnapshot now = catalog.get();
    Optional<Vip> vip = now.vipFor(packet.dstAddress(), protocol, port);
    if (vip.isPresent()) {
      return VIPS + 2 * vip.get().number() + (packet.isTcpSyn() ? 1 : 0);
    }
    if (!now.membersAt(packet.srcAddress()).isEmpty()) {
      return MEMBERS;
    }
    if (now.isVipAddress(packet.dstAddress())) {
      return NO_VIP;
    }
    if (TranslatedReply.is(packetIn, packet, now)) {
      return REPLIES;
    }
    return Cookie.is(packetIn.getCookie(), CookieKind.REPORT) ? REPORTS : OTHER + portOf(packetIn);
  }

  /** The controller's own frames, which discover links and measure their latency. */
  private static boolean isLinkProbe(Packet packet) {
    return switch (packet.etherType()) {
      case Packet.ETHERTYPE_LLDP, 0x8942, 0x88b5 -> true;
      default -> false;
    };
  }

  private static int portOf(OFPacketIn packetIn) {
    @Nullable OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    return port == null ? 0 : port.getPortNumber() & (PORTS - 1);
  }

  /** The published name of a class. */
  String nameOf(int number) {
    if (number >= VIPS) {
      int vip = (number - VIPS) / 2;
      return catalog.get().vips().values().stream()
          .filter(each -> each.number() == vip)
          .map(Vip::id)
          .findFirst()
          .orElse("deleted");
    }
    if (number >= OTHER) {
      return "_other";
    }
    if (number >= ARP) {
      return "_arp";
    }
    return switch (number) {
      case IPacketInQueueService.FIRST -> "_probes";
      case MEMBERS -> "_members";
      case REPORTS -> "_reports";
      case REPLIES -> "_replies";
      case ERRORS -> "_errors";
      default -> "_no_vip";
    };
  }
}
