package io.malob.openflow.uplink;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.UplinkCookie.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;

/**
 * The rules of a host's switch that do not belong to one flow: what goes to the table of flows,
 * what comes to the controller, and what is dropped, because the host's own network stack sees it
 * anyway. Pure.
 */
public final class UplinkRules {
  private static final int WHOLE_PACKET = 0xffff;
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

  private final OFFactory factory;
  private final int epoch;
  private final List<OFMessage> rules = new ArrayList<>();

  private UplinkRules(OFFactory factory, int epoch) {
    this.factory = factory;
    this.epoch = epoch;
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
    made.unknown(inside.port());
    uplinks.forEach(made::unknownAt);
    made.ofInside(inside);
    uplinks.forEach(made::ofUplink);
    return ImmutableList.copyOf(made.rules);
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
    made.add(
        UplinkLayout.CLASSIFY,
        UplinkLayout.PRIORITY_TCP_FLAGS,
        made.tcp(inside.port(), SYN, SYN_ACK),
        made.toController());
    made.ends(inside.port());
    for (UplinkEnd uplink : uplinks) {
      made.ends(uplink.port());
      made.add(
          UplinkLayout.FLOWS,
          UplinkLayout.PRIORITY_UNKNOWN,
          made.tcp(uplink.port(), SYN_ACK, SYN_ACK),
          made.toController());
    }
    return ImmutableList.copyOf(made.rules);
  }

  private void ofInside(InsideEnd inside) {
    OFPort port = inside.port();
    toController(port, UplinkLayout.PRIORITY_NEIGHBOURS, type(EthType.ARP));
    drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        match -> match.setMasked(MatchField.ETH_DST, GROUP_BIT, GROUP_BIT));
    toFlows(
        port,
        UplinkLayout.PRIORITY_PORT,
        type(EthType.IPv4).andThen(match -> match.setExact(MatchField.IPV4_SRC, inside.ipv4())));
    // what it would tell its peers about is hidden by the addresses that it quotes
    drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        type(EthType.IPv4)
            .andThen(protocol(IpProtocol.ICMP))
            .andThen(
                match ->
                    match.setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.DESTINATION_UNREACHABLE)));
    drop(port, UplinkLayout.PRIORITY_PORT - 1, match -> {});
  }

  private void ofUplink(UplinkEnd uplink) {
    OFPort port = uplink.port();
    toController(
        port,
        UplinkLayout.PRIORITY_NEIGHBOURS,
        type(EthType.ARP).andThen(match -> match.setExact(MatchField.ARP_OP, ArpOpcode.REPLY)));
    drop(port, UplinkLayout.PRIORITY_PORT, match -> {});
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
                toController(
                    port,
                    UplinkLayout.PRIORITY_NEIGHBOURS,
                    icmp.andThen(
                        match ->
                            match
                                .setExact(MatchField.IPV4_SRC, gateway)
                                .setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.ECHO_REPLY))));
    drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        forHost
            .andThen(protocol(IpProtocol.UDP))
            .andThen(match -> match.setExact(MatchField.UDP_DST, DHCP_CLIENT)));
    for (ICMPv4Type error : ICMP_ERRORS) {
      toController(
          port,
          UplinkLayout.PRIORITY_ICMP_ERROR,
          icmp.andThen(match -> match.setExact(MatchField.ICMPV4_TYPE, error)));
    }
    toFlows(port, UplinkLayout.PRIORITY_FOR_HOST, forHost);
  }

  /** What the inside sends and no flow knows. */
  private void unknown(OFPort inside) {
    add(UplinkLayout.FLOWS, UplinkLayout.PRIORITY_UNKNOWN, at(inside, match -> {}), toController());
  }

  /**
   * What may be an answer that is faster than its rule; the rest is the host's own. A switch may
   * drop for a moment longer what it dropped before, where no rule looks at it closer.
   */
  private void unknownAt(UplinkEnd uplink) {
    if (uplink.ipv4().isEmpty()) {
      return;
    }
    add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_UNKNOWN,
        at(uplink.port(), type(EthType.IPv4).andThen(protocol(IpProtocol.UDP))),
        toController());
    add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        at(uplink.port(), fragmentOfTcp()),
        toController());
    add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_UNKNOWN,
        at(
            uplink.port(),
            type(EthType.IPv4)
                .andThen(protocol(IpProtocol.ICMP))
                .andThen(match -> match.setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.ECHO_REPLY))),
        toController());
  }

  /** Switches take the ports of fragments for 0. */
  private static Consumer<Match.Builder> fragmentOfTcp() {
    return type(EthType.IPv4)
        .andThen(protocol(IpProtocol.TCP))
        .andThen(
            match ->
                match
                    .setExact(MatchField.TCP_SRC, TransportPort.NONE)
                    .setExact(MatchField.TCP_DST, TransportPort.NONE));
  }

  private static Consumer<Match.Builder> fragmentOfUdp() {
    return type(EthType.IPv4)
        .andThen(protocol(IpProtocol.UDP))
        .andThen(
            match ->
                match
                    .setExact(MatchField.UDP_SRC, TransportPort.NONE)
                    .setExact(MatchField.UDP_DST, TransportPort.NONE));
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
    made.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        made.at(port, fragmentOfTcp()),
        made.toController());
    made.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        made.at(port, fragmentOfUdp()),
        made.toController());
    for (IpProtocol protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
      made.add(
          UplinkLayout.FLOWS,
          UplinkLayout.PRIORITY_GROUP,
          made.at(port, type(EthType.IPv4).andThen(protocol(protocol))),
          factory.instructions().applyActions(List.of(factory.actions().group(GroupRules.GROUP))));
      uplinks.forEach(uplink -> made.backToInside(inside, uplink, protocol));
    }
    return ImmutableList.copyOf(made.rules);
  }

  private void backToInside(InsideEnd inside, UplinkEnd uplink, IpProtocol protocol) {
    MatchField<TransportPort> port =
        protocol.equals(IpProtocol.TCP) ? MatchField.TCP_DST : MatchField.UDP_DST;
    add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_GROUP,
        at(
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
   * Where the switch spreads flows, the host gets answers to connections of its own on uplinks
   * twice, and would reset them: that stays inside. Switches that cannot match TCP flags answer
   * with an error.
   */
  public static List<OFMessage> noResets(OFFactory factory, InsideEnd inside, int epoch) {
    UplinkRules made = new UplinkRules(factory, epoch);
    made.add(
        UplinkLayout.CLASSIFY,
        UplinkLayout.PRIORITY_TCP_FLAGS,
        made.tcp(inside.port(), U16.of(Packet.TCP_RST), RST_ACK));
    return ImmutableList.copyOf(made.rules);
  }

  private void ends(OFPort port) {
    for (U16 flag : ENDING_FLAGS) {
      rules.add(
          factory
              .buildFlowAdd()
              .setTableId(UplinkLayout.CLASSIFY)
              .setPriority(UplinkLayout.PRIORITY_TCP_FLAGS - 1)
              .setCookie(UplinkCookie.of(Kind.END, epoch, 0))
              .setMatch(tcp(port, flag, flag))
              .setInstructions(
                  List.of(toController(), factory.instructions().gotoTable(UplinkLayout.FLOWS)))
              .build());
    }
  }

  private Match tcp(OFPort port, U16 flags, U16 mask) {
    // a field of its own since OpenFlow 1.5, an extension before
    MatchField<U16> field =
        factory.getVersion().compareTo(OFVersion.OF_15) >= 0
            ? MatchField.TCP_FLAGS
            : MatchField.OVS_TCP_FLAGS;
    return at(
        port,
        type(EthType.IPv4)
            .andThen(protocol(IpProtocol.TCP))
            .andThen(match -> match.setMasked(field, flags, mask)));
  }

  private static Consumer<Match.Builder> type(EthType type) {
    return match -> match.setExact(MatchField.ETH_TYPE, type);
  }

  private static Consumer<Match.Builder> protocol(IpProtocol protocol) {
    return match -> match.setExact(MatchField.IP_PROTO, protocol);
  }

  private Match at(OFPort port, Consumer<Match.Builder> fields) {
    Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, port);
    fields.accept(match);
    return match.build();
  }

  private void toController(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(UplinkLayout.CLASSIFY, priority, at(port, fields), toController());
  }

  private void toFlows(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(
        UplinkLayout.CLASSIFY,
        priority,
        at(port, fields),
        factory.instructions().gotoTable(UplinkLayout.FLOWS));
  }

  private void drop(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(UplinkLayout.CLASSIFY, priority, at(port, fields));
  }

  private void add(TableId table, int priority, Match match, OFInstruction... instructions) {
    rules.add(
        factory
            .buildFlowAdd()
            .setTableId(table)
            .setPriority(priority)
            .setCookie(UplinkCookie.of(Kind.FIXED, epoch, 0))
            .setMatch(match)
            .setInstructions(List.of(instructions))
            .build());
  }

  private OFInstruction toController() {
    return factory
        .instructions()
        .applyActions(List.of(factory.actions().output(OFPort.CONTROLLER, WHOLE_PACKET)));
  }
}
