package io.malob.openflow.uplink;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;
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

  private final OFFactory factory;
  private final int epoch;
  private final List<OFMessage> rules = new ArrayList<>();

  private UplinkRules(OFFactory factory, int epoch) {
    this.factory = factory;
    this.epoch = epoch;
  }

  /**
   * All required rules except those of {@link #tcpFlags}. Existing ones stay, and get the epoch.
   *
   * @param epoch below {@link UplinkCookie#UPLINKS}; different from the last one
   */
  public static List<OFMessage> fixed(
      OFFactory factory, InsideEnd inside, Collection<UplinkEnd> uplinks, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    made.unknown(inside.port(), match -> {}); // packets from the inside without a flow
    for (UplinkEnd uplink : uplinks) {
      addresses(inside, uplink).forEach(address -> made.unknownAt(uplink.port(), address));
    }
    made.ofInside(inside);
    for (UplinkEnd uplink : uplinks) {
      made.ofUplink(inside, uplink);
    }
    return ImmutableList.copyOf(made.rules);
  }

  /** Deletes the fixed rules of other epochs, including those of {@link #tcpFlags}. */
  public static List<OFMessage> removeOtherEpochs(OFFactory factory, int epoch) {
    List<OFMessage> messages = new ArrayList<>();
    for (CookieKind kind : List.of(CookieKind.UPLINK_FIXED, CookieKind.UPLINK_END)) {
      kind.all()
          .without(CookieField.UPLINK, epoch)
          .forEach(which -> messages.add(which.delete(factory)));
    }
    return messages;
  }

  /** Deletes all rules of the host. */
  public static OFMessage removeAll(OFFactory factory) {
    return CookieKind.Application.UPLINKS.all().delete(factory);
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
    return ImmutableList.copyOf(made.rules);
  }

  private void tcpFlags(InsideEnd inside, Collection<UplinkEnd> uplinks, IpFamily family) {
    add(
        UplinkLayout.CLASSIFY,
        UplinkLayout.PRIORITY_TCP_FLAGS,
        at(inside.port(), tcp(family, SYN, SYN_ACK)),
        toController());
    ends(inside.port(), family);
    for (UplinkEnd uplink : uplinks) {
      ends(uplink.port(), family);
      unknown(uplink.port(), tcp(family, SYN_ACK, SYN_ACK));
    }
  }

  private void ofInside(InsideEnd inside) {
    OFPort port = inside.port();
    toController(port, UplinkLayout.PRIORITY_NEIGHBOURS, arp());
    drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        match -> match.setMasked(MatchField.ETH_DST, GROUP_BIT, GROUP_BIT));
    inside.versions().forEach(version -> fromHost(port, inside.address(version).orElseThrow()));
    inside.ipv6().ifPresent(used -> neighboursInside(port));
    drop(port, UplinkLayout.PRIORITY_PORT - 1, match -> {});
  }

  private void fromHost(OFPort port, IPAddress<?> address) {
    IpFamily family = IpFamily.of(address);
    toFlows(port, UplinkLayout.PRIORITY_PORT, family.any().andThen(IpFamily.from(address)));
    // peers could not assign its errors, because of the quoted addresses
    drop(port, UplinkLayout.PRIORITY_NOT_OURS, family.icmp(family.icmpUnreachable));
  }

  private void neighboursInside(OFPort port) {
    toController(
        port, UplinkLayout.PRIORITY_NEIGHBOURS, IpFamily.IPV6.icmp(NeighbourMessage.SOLICITATION));
    // packets of the inside about itself
    drop(port, UplinkLayout.PRIORITY_NOT_OURS, IpFamily.IPV6.icmp(NeighbourMessage.ADVERTISEMENT));
    // first fragments go to the controller, which counts them: one for each packet
    add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        at(port, IpFamily.IPV6.protocol(FRAGMENT)));
  }

  /** The host's addresses on an uplink, of the versions that the inside has. */
  private static List<IPAddress<?>> addresses(InsideEnd inside, UplinkEnd uplink) {
    List<IPAddress<?>> addresses = new ArrayList<>();
    inside.versions().forEach(version -> uplink.address(version).ifPresent(addresses::add));
    return addresses;
  }

  private void ofUplink(InsideEnd inside, UplinkEnd uplink) {
    OFPort port = uplink.port();
    toController(
        port,
        UplinkLayout.PRIORITY_NEIGHBOURS,
        arp().andThen(match -> match.setExact(MatchField.ARP_OP, ArpOpcode.REPLY)));
    drop(port, UplinkLayout.PRIORITY_PORT, match -> {});
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
    toController(
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
                toController(
                    uplink.port(),
                    UplinkLayout.PRIORITY_NEIGHBOURS,
                    advertisement.andThen(
                        match ->
                            match
                                .setExact(MatchField.ICMPV6_CODE, U8.ZERO) // Open vSwitch asks it
                                .setExact(MatchField.IPV6_ND_TARGET, router))));
    drop(
        uplink.port(),
        UplinkLayout.PRIORITY_NOT_OURS,
        IpFamily.IPV6.icmp(NeighbourMessage.SOLICITATION));
    drop(uplink.port(), UplinkLayout.PRIORITY_NOT_OURS, advertisement);
  }

  private void forHost(OFPort port, IPAddress<?> address) {
    IpFamily family = IpFamily.of(address);
    Consumer<Match.Builder> toHost = IpFamily.to(address);
    drop(port, UplinkLayout.PRIORITY_NOT_OURS, family.dhcp().andThen(toHost));
    for (int error : family.icmpErrors) {
      toController(port, UplinkLayout.PRIORITY_ICMP_ERROR, family.icmp(error).andThen(toHost));
    }
    toFlows(port, UplinkLayout.PRIORITY_FOR_HOST, family.any().andThen(toHost));
  }

  /**
   * Possible answers that are faster than their rule; the rest is for the host itself. A switch may
   * drop packets for a moment longer if no more specific rule matches them.
   */
  private void unknownAt(OFPort port, IPAddress<?> address) {
    IpFamily family = IpFamily.of(address);
    unknown(port, family.protocol(IpProtocol.UDP));
    unknown(port, family.icmp(family.icmpEchoReply));
    if (family == IpFamily.IPV4) {
      fragments(port, IpProtocol.TCP);
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
    for (IpProtocol protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
      made.fragments(port, protocol);
      made.add(
          UplinkLayout.FLOWS,
          UplinkLayout.PRIORITY_GROUP,
          made.at(port, IpFamily.IPV4.protocol(protocol)),
          factory.instructions().applyActions(List.of(factory.actions().group(GroupRules.GROUP))));
      uplinks.forEach(uplink -> made.backToInside(inside, uplink, protocol));
    }
    return ImmutableList.copyOf(made.rules);
  }

  private void backToInside(InsideEnd inside, UplinkEnd uplink, IpProtocol protocol) {
    MatchField<TransportPort> port = IpFamily.dstPort(protocol);
    add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_GROUP,
        at(
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
    made.drop(
        inside.port(),
        UplinkLayout.PRIORITY_TCP_FLAGS,
        made.tcp(IpFamily.IPV4, U16.of(Packet.TCP_RST), RST_ACK));
    inside.ipv6().ifPresent(used -> made.tcpFlags(inside, uplinks, IpFamily.IPV6));
    return ImmutableList.copyOf(made.rules);
  }

  /** Sends packets from this port with these fields to the controller. */
  private void toController(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(UplinkLayout.CLASSIFY, priority, at(port, fields), toController());
  }

  /** Sends the same packets to the table of flows. */
  private void toFlows(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(
        UplinkLayout.CLASSIFY,
        priority,
        at(port, fields),
        factory.instructions().gotoTable(UplinkLayout.FLOWS));
  }

  /** Drops the same packets. */
  private void drop(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(UplinkLayout.CLASSIFY, priority, at(port, fields));
  }

  /** Sends packets without a known flow to the controller. */
  private void unknown(OFPort port, Consumer<Match.Builder> fields) {
    add(UplinkLayout.FLOWS, UplinkLayout.PRIORITY_UNKNOWN, at(port, fields), toController());
  }

  /** Copies FIN and RST to the controller. */
  private void ends(OFPort port, IpFamily family) {
    for (U16 flag : ENDING_FLAGS) {
      rules.add(
          new RuleKey(
                  UplinkLayout.CLASSIFY,
                  UplinkLayout.PRIORITY_TCP_FLAGS - 1,
                  at(port, tcp(family, flag, flag)))
              .add(
                  factory,
                  UplinkCookie.of(CookieKind.UPLINK_END, epoch, 0),
                  toController(),
                  factory.instructions().gotoTable(UplinkLayout.FLOWS))
              .build());
    }
  }

  private void add(TableId table, int priority, Match match, OFInstruction... instructions) {
    U64 cookie = UplinkCookie.of(CookieKind.UPLINK_FIXED, epoch, 0);
    rules.add(new RuleKey(table, priority, match).add(factory, cookie, instructions).build());
  }

  private OFInstruction toController() {
    return SwitchRules.toController(factory);
  }

  private Match at(OFPort port, Consumer<Match.Builder> fields) {
    Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, port);
    fields.accept(match);
    return match.build();
  }

  /** TCP with these flags; not all switches can match that. */
  private Consumer<Match.Builder> tcp(IpFamily family, U16 flags, U16 mask) {
    MatchField<U16> field = SwitchRules.tcpFlagsField(factory);
    return family.protocol(IpProtocol.TCP).andThen(match -> match.setMasked(field, flags, mask));
  }

  private static Consumer<Match.Builder> arp() {
    return match -> match.setExact(MatchField.ETH_TYPE, EthType.ARP);
  }

  /** Sends fragments of IPv4 to the controller: switches treat their ports as 0. */
  private void fragments(OFPort port, IpProtocol protocol) {
    Consumer<Match.Builder> fields =
        IpFamily.IPV4
            .protocol(protocol)
            .andThen(match -> IpFamily.withPorts(match, protocol, 0, 0));
    add(UplinkLayout.FLOWS, UplinkLayout.PRIORITY_FRAGMENT, at(port, fields), toController());
  }
}
