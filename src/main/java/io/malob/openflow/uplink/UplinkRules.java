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
 * The rules of a host's switch that do not belong to one flow: what goes to the table of flows,
 * what comes to the controller, and what is dropped, because the host's own network stack sees it
 * anyway. Pure.
 */
public final class UplinkRules {
  private static final U16 SYN = U16.of(Packet.TCP_SYN);
  private static final U16 SYN_ACK = U16.of(Packet.TCP_SYN | Packet.TCP_ACK);
  private static final ImmutableList<U16> ENDING_FLAGS =
      ImmutableList.of(U16.of(Packet.TCP_FIN), U16.of(Packet.TCP_RST));
  private static final U16 RST_ACK = U16.of(Packet.TCP_RST | Packet.TCP_ACK);

  /** 32768 to 65535, as value and mask: where Linux chooses ports. */
  private static final TransportPort EPHEMERAL = TransportPort.of(0x8000);

  private static final MacAddress GROUP_BIT = MacAddress.of("01:00:00:00:00:00");

  /** Later parts of IPv6 packets have this in the place of their protocol. */
  private static final IpProtocol FRAGMENT = IpProtocol.of((short) 44);

  private final RuleList rules;

  private UplinkRules(OFFactory factory, int epoch) {
    this.rules = new RuleList(factory, epoch);
  }

  /**
   * All that are needed but those of {@link #tcpFlags}. Those that are there already stay, and get
   * the epoch.
   *
   * @param epoch below {@link UplinkCookie#UPLINKS}; another one than last time
   */
  public static List<OFMessage> fixed(
      OFFactory factory, InsideEnd inside, Collection<UplinkEnd> uplinks, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    made.rules.unknown(inside.port(), match -> {}); // what the inside sends and no flow knows
    for (UplinkEnd uplink : uplinks) {
      addresses(inside, uplink).forEach(address -> made.unknownAt(uplink.port(), address));
    }
    made.ofInside(inside);
    for (UplinkEnd uplink : uplinks) {
      made.ofUplink(inside, uplink);
    }
    return made.rules.made();
  }

  /** Takes away the fixed rules of other epochs, those of {@link #tcpFlags}, too. */
  public static List<OFMessage> removeOtherEpochs(OFFactory factory, int epoch) {
    List<OFMessage> messages = new ArrayList<>();
    for (Kind kind : List.of(Kind.FIXED, Kind.END)) {
      UplinkCookie.otherEpochs(kind, epoch)
          .forEach(which -> messages.add(FlowRules.delete(factory, which)));
    }
    return messages;
  }

  /** Takes all rules of the host away. */
  public static OFMessage removeAll(OFFactory factory) {
    return FlowRules.delete(factory, UplinkCookie.all());
  }

  /**
   * Shows the controller where TCP connections begin and end: first packets go to it and nowhere
   * else, though the rule of an older flow may be there; FIN and RST are copied to it on their way.
   * Switches that cannot match TCP flags answer with an error.
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
    // what it would tell its peers about is hidden by the addresses that it quotes
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, family.icmp(family.icmpUnreachable));
  }

  private void neighboursInside(OFPort port) {
    rules.toController(
        port, UplinkLayout.PRIORITY_NEIGHBOURS, IpFamily.IPV6.icmp(NeighbourMessage.SOLICITATION));
    // what the inside says of itself
    rules.drop(
        port, UplinkLayout.PRIORITY_NOT_OURS, IpFamily.IPV6.icmp(NeighbourMessage.ADVERTISEMENT));
    // first parts come to the controller, which counts them: one for each packet
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

  /** What neighbours say to the host is never a flow's. */
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
   * What may be an answer that is faster than its rule; the rest is the host's own. A switch may
   * drop for a moment longer what it dropped before, where no rule looks at it closer.
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
   * Lets the switch spread TCP and UDP over the uplinks by {@link GroupRules}, which must be there;
   * what comes back to ports that hosts choose for themselves is for the inside, whichever flow it
   * is of.
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
   * What there is in the place of {@link #tcpFlags} where the switch spreads flows. The host gets
   * answers to connections of its own on uplinks twice then, and would reset them: that stays
   * inside. IPv6 is as always. Switches that cannot match TCP flags answer with an error.
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
