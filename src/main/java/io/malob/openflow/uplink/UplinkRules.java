package io.malob.openflow.uplink;

import static io.malob.openflow.uplink.RuleList.arp;
import static io.malob.openflow.uplink.RuleList.fragment;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.IpFamily;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.UplinkCookie.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U8;

/**
 * The rules of a host's switch that do not belong to one flow: they send packets to the table of
 * flows or to the controller, or drop them because the host's own network stack gets them as well.
 * Pure.
 */
public final class UplinkRules {
  private static final U16 SYN = U16.of(Packet.TCP_SYN);
  private static final U16 SYN_ACK = U16.of(Packet.TCP_SYN | Packet.TCP_ACK);
  private static final ImmutableList<U16> ENDING_FLAGS =
      ImmutableList.of(U16.of(Packet.TCP_FIN), U16.of(Packet.TCP_RST));
  private static final U16 RST_ACK = U16.of(Packet.TCP_RST | Packet.TCP_ACK);

  /** 32768 to 65535, as value and mask: Linux chooses ports there. */
  private static final TransportPort EPHEMERAL = TransportPort.of(0x8000);

  private static final MacAddress GROUP_BIT = MacAddress.of("01:00:00:00:00:00");

  /** The protocol of later fragments of IPv6 packets. */
  private static final IpProtocol FRAGMENT = IpProtocol.of((short) 44);

  private final RuleList rules;

  private UplinkRules(OFFactory factory, int epoch) {
    this.rules = new RuleList(factory, epoch);
  }

  /**
   * All required rules except those of {@link #tcpFlags}. Existing ones stay, and get the epoch.
   *
   * @param epoch below {@link UplinkCookie#UPLINKS}; different from the last one
   */
  public static List<OFMessage> fixed(
      OFFactory factory, InsideEnd inside, Collection<UplinkEnd> uplinks, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    made.rules.unknown(inside.port(), match -> {}); // packets from the inside without a flow
    for (UplinkEnd uplink : uplinks) {
      addresses(inside, uplink).forEach(address -> made.unknownAt(uplink.port(), address));
    }
    made.ofInside(inside);
    for (UplinkEnd uplink : uplinks) {
      made.ofUplink(inside, uplink);
    }
    return made.rules.made();
  }

  /** Deletes the fixed rules of other epochs, including those of {@link #tcpFlags}. */
  public static List<OFMessage> removeOtherEpochs(OFFactory factory, int epoch) {
    List<OFMessage> messages = new ArrayList<>();
    for (Kind kind : List.of(Kind.FIXED, Kind.END)) {
      UplinkCookie.otherEpochs(kind, epoch)
          .forEach(which -> messages.add(FlowRules.delete(factory, which)));
    }
    return messages;
  }

  /** Deletes all rules of the host. */
  public static OFMessage removeAll(OFFactory factory) {
    return FlowRules.delete(factory, UplinkCookie.all());
  }

  /**
   * Sends the begin and end of TCP connections to the controller: first packets go only to the
   * controller, even if the rule of an older flow exists; FIN and RST are copied to it. Switches
   * that cannot match TCP flags answer with an error.
   */
  public static List<OFMessage> tcpFlags(
      OFFactory factory, InsideEnd inside, Collection<UplinkEnd> uplinks, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    inside.versions().forEach(version -> made.tcpFlags(inside, uplinks, IpFamily.of(version)));
    return made.rules.made();
  }

  private void tcpFlags(InsideEnd inside, Collection<UplinkEnd> uplinks, IpFamily family) {
    rules.add(
        UplinkLayout.CLASSIFY,
        UplinkLayout.PRIORITY_TCP_FLAGS,
        rules.at(inside.port(), rules.tcp(family, SYN, SYN_ACK)),
        rules.toController());
    rules.ends(inside.port(), family, ENDING_FLAGS);
    for (UplinkEnd uplink : uplinks) {
      rules.ends(uplink.port(), family, ENDING_FLAGS);
      rules.unknown(uplink.port(), rules.tcp(family, SYN_ACK, SYN_ACK));
    }
  }

  private void ofInside(InsideEnd inside) {
    OFPort port = inside.port();
    rules.toController(port, UplinkLayout.PRIORITY_NEIGHBOURS, arp());
    rules.drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        match -> match.setMasked(MatchField.ETH_DST, GROUP_BIT, GROUP_BIT));
    inside.versions().forEach(version -> fromHost(port, inside.address(version).orElseThrow()));
    inside.ipv6().ifPresent(used -> neighboursInside(port));
    rules.drop(port, UplinkLayout.PRIORITY_PORT - 1, match -> {});
  }

  private void fromHost(OFPort port, IPAddress<?> address) {
    IpFamily family = IpFamily.of(address);
    rules.toFlows(port, UplinkLayout.PRIORITY_PORT, family.any().andThen(IpFamily.from(address)));
    // peers could not assign its errors, because of the quoted addresses
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, family.icmp(family.icmpUnreachable));
  }

  private void neighboursInside(OFPort port) {
    rules.toController(
        port, UplinkLayout.PRIORITY_NEIGHBOURS, IpFamily.IPV6.icmp(NeighbourMessage.SOLICITATION));
    // packets of the inside about itself
    rules.drop(
        port, UplinkLayout.PRIORITY_NOT_OURS, IpFamily.IPV6.icmp(NeighbourMessage.ADVERTISEMENT));
    // first fragments go to the controller, which counts them: one for each packet
    rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        rules.at(port, IpFamily.IPV6.protocol(FRAGMENT)));
  }

  /** The host's addresses on an uplink, of the versions that the inside has. */
  private static List<IPAddress<?>> addresses(InsideEnd inside, UplinkEnd uplink) {
    List<IPAddress<?>> addresses = new ArrayList<>();
    inside.versions().forEach(version -> uplink.address(version).ifPresent(addresses::add));
    return addresses;
  }

  private void ofUplink(InsideEnd inside, UplinkEnd uplink) {
    OFPort port = uplink.port();
    rules.toController(
        port,
        UplinkLayout.PRIORITY_NEIGHBOURS,
        arp().andThen(match -> match.setExact(MatchField.ARP_OP, ArpOpcode.REPLY)));
    rules.drop(port, UplinkLayout.PRIORITY_PORT, match -> {});
    for (IPAddress<?> address : addresses(inside, uplink)) {
      if (address instanceof IPv4Address v4) {
        uplink.gatewayIpv4().ifPresent(gateway -> echoReplies(port, gateway, v4));
      } else {
        neighboursAt(uplink);
      }
      forHost(port, address);
    }
  }

  private void echoReplies(OFPort port, IPv4Address gateway, IPv4Address address) {
    rules.toController(
        port,
        UplinkLayout.PRIORITY_NEIGHBOURS,
        IpFamily.IPV4
            .icmp(IpFamily.IPV4.icmpEchoReply)
            .andThen(IpFamily.from(gateway))
            .andThen(IpFamily.to(address)));
  }

  /** Neighbour messages to the host never belong to a flow. */
  private void neighboursAt(UplinkEnd uplink) {
    Consumer<Match.Builder> advertisement = IpFamily.IPV6.icmp(NeighbourMessage.ADVERTISEMENT);
    uplink
        .gatewayIpv6()
        .ifPresent(
            router ->
                rules.toController(
                    uplink.port(),
                    UplinkLayout.PRIORITY_NEIGHBOURS,
                    advertisement.andThen(
                        match ->
                            match
                                .setExact(MatchField.ICMPV6_CODE, U8.ZERO) // Open vSwitch asks it
                                .setExact(MatchField.IPV6_ND_TARGET, router))));
    rules.drop(
        uplink.port(),
        UplinkLayout.PRIORITY_NOT_OURS,
        IpFamily.IPV6.icmp(NeighbourMessage.SOLICITATION));
    rules.drop(uplink.port(), UplinkLayout.PRIORITY_NOT_OURS, advertisement);
  }

  private void forHost(OFPort port, IPAddress<?> address) {
    IpFamily family = IpFamily.of(address);
    Consumer<Match.Builder> toHost = IpFamily.to(address);
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, family.dhcp().andThen(toHost));
    for (int error : family.icmpErrors) {
      rules.toController(
          port, UplinkLayout.PRIORITY_ICMP_ERROR, family.icmp(error).andThen(toHost));
    }
    rules.toFlows(port, UplinkLayout.PRIORITY_FOR_HOST, family.any().andThen(toHost));
  }

  /**
   * Possible answers that are faster than their rule; the rest is for the host itself. A switch may
   * drop packets for a moment longer if no more specific rule matches them.
   */
  private void unknownAt(OFPort port, IPAddress<?> address) {
    IpFamily family = IpFamily.of(address);
    rules.unknown(port, family.protocol(IpProtocol.UDP));
    rules.unknown(port, family.icmp(family.icmpEchoReply));
    if (family == IpFamily.IPV4) {
      rules.add(
          UplinkLayout.FLOWS,
          UplinkLayout.PRIORITY_FRAGMENT,
          rules.at(port, fragment(IpProtocol.TCP)),
          rules.toController());
    }
  }

  /**
   * Lets the switch distribute TCP and UDP over the uplinks by {@link GroupRules}, which must
   * exist; replies to ephemeral ports go to the inside, without a rule per flow.
   */
  public static List<OFMessage> grouped(
      OFFactory factory, InsideEnd inside, Collection<UplinkEnd> uplinks, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    OFPort port = inside.port();
    made.rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        made.rules.at(port, fragment(IpProtocol.TCP)),
        made.rules.toController());
    made.rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        made.rules.at(port, fragment(IpProtocol.UDP)),
        made.rules.toController());
    for (IpProtocol protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
      made.rules.add(
          UplinkLayout.FLOWS,
          UplinkLayout.PRIORITY_GROUP,
          made.rules.at(port, IpFamily.IPV4.protocol(protocol)),
          factory.instructions().applyActions(List.of(factory.actions().group(GroupRules.GROUP))));
      uplinks.forEach(uplink -> made.backToInside(factory, inside, uplink, protocol));
    }
    return made.rules.made();
  }

  private void backToInside(
      OFFactory factory, InsideEnd inside, UplinkEnd uplink, IpProtocol protocol) {
    MatchField<TransportPort> port =
        protocol.equals(IpProtocol.TCP) ? MatchField.TCP_DST : MatchField.UDP_DST;
    rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_GROUP,
        rules.at(
            uplink.port(),
            IpFamily.IPV4
                .protocol(protocol)
                .andThen(match -> match.setMasked(port, EPHEMERAL, EPHEMERAL))),
        factory
            .instructions()
            .applyActions(
                FlowRules.translated(
                    factory,
                    inside.gatewayMac(),
                    inside.mac(),
                    factory.oxms().ipv4Dst(inside.ipv4()),
                    inside.port())));
  }

  /**
   * Replaces {@link #tcpFlags} if the switch distributes flows. The inside then also gets answers
   * to the host's own connections on uplinks, and would reset them: these resets are dropped. IPv6
   * is unchanged. Switches that cannot match TCP flags answer with an error.
   */
  public static List<OFMessage> groupedTcpFlags(
      OFFactory factory, InsideEnd inside, Collection<UplinkEnd> uplinks, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    made.rules.drop(
        inside.port(),
        UplinkLayout.PRIORITY_TCP_FLAGS,
        made.rules.tcp(IpFamily.IPV4, U16.of(Packet.TCP_RST), RST_ACK));
    inside.ipv6().ifPresent(used -> made.tcpFlags(inside, uplinks, IpFamily.IPV6));
    return made.rules.made();
  }
}
