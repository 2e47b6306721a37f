package io.malob.openflow.uplink;

import static io.malob.openflow.uplink.RuleList.fragment;
import static io.malob.openflow.uplink.RuleList.protocol;
import static io.malob.openflow.uplink.RuleList.type;

import com.google.common.collect.ImmutableList;
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
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;

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
  private static final TransportPort DHCP_CLIENT = TransportPort.of(68);

  /** ICMP messages about other packets: unreachable, time exceeded, parameter problem. */
  private static final ImmutableList<ICMPv4Type> ICMP_ERRORS =
      ImmutableList.of(
          ICMPv4Type.DESTINATION_UNREACHABLE, ICMPv4Type.TIME_EXCEEDED, ICMPv4Type.of((short) 12));

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
    uplinks.forEach(made::unknownAt);
    made.ofInside(inside);
    uplinks.forEach(made::ofUplink);
    inside.ipv6().ifPresent(address -> Ipv6UplinkRules.add(made.rules, inside, address, uplinks));
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
    made.tcpFlags(inside, uplinks, EthType.IPv4);
    inside.ipv6().ifPresent(used -> made.tcpFlags(inside, uplinks, EthType.IPv6));
    return made.rules.made();
  }

  private void tcpFlags(InsideEnd inside, Collection<UplinkEnd> uplinks, EthType type) {
    rules.add(
        UplinkLayout.CLASSIFY,
        UplinkLayout.PRIORITY_TCP_FLAGS,
        rules.at(inside.port(), rules.tcp(type, SYN, SYN_ACK)),
        rules.toController());
    rules.ends(inside.port(), type, ENDING_FLAGS);
    for (UplinkEnd uplink : uplinks) {
      rules.ends(uplink.port(), type, ENDING_FLAGS);
      rules.unknown(uplink.port(), rules.tcp(type, SYN_ACK, SYN_ACK));
    }
  }

  private void ofInside(InsideEnd inside) {
    OFPort port = inside.port();
    rules.toController(port, UplinkLayout.PRIORITY_NEIGHBOURS, type(EthType.ARP));
    rules.drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        match -> match.setMasked(MatchField.ETH_DST, GROUP_BIT, GROUP_BIT));
    rules.toFlows(
        port,
        UplinkLayout.PRIORITY_PORT,
        type(EthType.IPv4).andThen(match -> match.setExact(MatchField.IPV4_SRC, inside.ipv4())));
    // what it would tell its peers about is hidden by the addresses that it quotes
    rules.drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        type(EthType.IPv4)
            .andThen(protocol(IpProtocol.ICMP))
            .andThen(
                match ->
                    match.setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.DESTINATION_UNREACHABLE)));
    rules.drop(port, UplinkLayout.PRIORITY_PORT - 1, match -> {});
  }

  private void ofUplink(UplinkEnd uplink) {
    OFPort port = uplink.port();
    rules.toController(
        port,
        UplinkLayout.PRIORITY_NEIGHBOURS,
        type(EthType.ARP).andThen(match -> match.setExact(MatchField.ARP_OP, ArpOpcode.REPLY)));
    rules.drop(port, UplinkLayout.PRIORITY_PORT, match -> {});
    uplink.ipv4().ifPresent(address -> ofUplink(uplink, address));
  }

  private void ofUplink(UplinkEnd uplink, IPv4Address address) {
    OFPort port = uplink.port();
    Consumer<Match.Builder> forHost =
        type(EthType.IPv4).andThen(match -> match.setExact(MatchField.IPV4_DST, address));
    Consumer<Match.Builder> icmp = forHost.andThen(protocol(IpProtocol.ICMP));
    uplink
        .gatewayIpv4()
        .ifPresent(
            gateway ->
                rules.toController(
                    port,
                    UplinkLayout.PRIORITY_NEIGHBOURS,
                    icmp.andThen(
                        match ->
                            match
                                .setExact(MatchField.IPV4_SRC, gateway)
                                .setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.ECHO_REPLY))));
    rules.drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        forHost
            .andThen(protocol(IpProtocol.UDP))
            .andThen(match -> match.setExact(MatchField.UDP_DST, DHCP_CLIENT)));
    for (ICMPv4Type error : ICMP_ERRORS) {
      rules.toController(
          port,
          UplinkLayout.PRIORITY_ICMP_ERROR,
          icmp.andThen(match -> match.setExact(MatchField.ICMPV4_TYPE, error)));
    }
    rules.toFlows(port, UplinkLayout.PRIORITY_FOR_HOST, forHost);
  }

  /**
   * What may be an answer that is faster than its rule; the rest is the host's own. A switch may
   * drop for a moment longer what it dropped before, where no rule looks at it closer.
   */
  private void unknownAt(UplinkEnd uplink) {
    if (uplink.ipv4().isEmpty()) {
      return;
    }
    rules.unknown(uplink.port(), type(EthType.IPv4).andThen(protocol(IpProtocol.UDP)));
    rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        rules.at(uplink.port(), fragment(EthType.IPv4, IpProtocol.TCP)),
        rules.toController());
    rules.unknown(
        uplink.port(),
        type(EthType.IPv4)
            .andThen(protocol(IpProtocol.ICMP))
            .andThen(match -> match.setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.ECHO_REPLY)));
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
        made.rules.at(port, fragment(EthType.IPv4, IpProtocol.TCP)),
        made.rules.toController());
    made.rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        made.rules.at(port, fragment(EthType.IPv4, IpProtocol.UDP)),
        made.rules.toController());
    for (IpProtocol protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
      made.rules.add(
          UplinkLayout.FLOWS,
          UplinkLayout.PRIORITY_GROUP,
          made.rules.at(port, type(EthType.IPv4).andThen(protocol(protocol))),
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
            type(EthType.IPv4)
                .andThen(protocol(protocol))
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
        made.rules.tcp(EthType.IPv4, U16.of(Packet.TCP_RST), RST_ACK));
    inside.ipv6().ifPresent(used -> made.tcpFlags(inside, uplinks, EthType.IPv6));
    return made.rules.made();
  }
}
