package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/** The rules that every switch has, independent of connections. Pure. */
public final class SwitchRules {
  /** Packets are sent to the controller whole: no current switch buffers them well. */
  private static final int WHOLE_PACKET = 0xffff;

  private static final U16 SYN = U16.of(Packet.TCP_SYN);
  private static final U16 SYN_ACK = U16.of(Packet.TCP_SYN | Packet.TCP_ACK);
  private static final ImmutableList<U16> ENDING_FLAGS =
      ImmutableList.of(U16.of(Packet.TCP_FIN), U16.of(Packet.TCP_RST));

  private SwitchRules() {}

  /** Deletes all rules of the balancer. */
  public static List<OFMessage> removeAll(OFFactory factory) {
    return ImmutableList.of(
        deleteByCookie(factory, Cookie.of(Cookie.Kind.SWITCH, 0), Cookie.applicationMask()),
        factory.barrierRequest());
  }

  /** Installs the fixed rules; no effect if they exist. */
  public static List<OFMessage> fixed(OFFactory factory) {
    return ImmutableList.of(
        labelled(factory),
        miss(factory, FlowLayout.REQUESTS),
        miss(factory, FlowLayout.LABELS),
        miss(factory, FlowLayout.HOSTS));
  }

  private static OFMessage labelled(OFFactory factory) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_LABELLED)
        .setCookie(Cookie.of(Cookie.Kind.SWITCH, 0))
        .setMatch(
            factory
                .buildMatch()
                .setMasked(MatchField.ETH_DST, Label.PREFIX, Label.PREFIX_MASK)
                .build())
        .setInstructions(List.of(factory.instructions().gotoTable(FlowLayout.LABELS)))
        .build();
  }

  private static OFMessage miss(OFFactory factory, TableId table) {
    return factory
        .buildFlowAdd()
        .setTableId(table)
        .setPriority(FlowLayout.PRIORITY_MISS)
        .setCookie(Cookie.of(Cookie.Kind.SWITCH, 0))
        .setInstructions(List.of(toController(factory)))
        .build();
  }

  /**
   * Sends packets for a VIP address, ICMP errors among them, and neighbour messages for it to the
   * balancer.
   */
  public static List<OFMessage> addVip(OFFactory factory, IPAddress<?> address) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    rules.add(
        traffic(factory.buildFlowAdd(), factory, address)
            .setInstructions(List.of(factory.instructions().gotoTable(FlowLayout.REQUESTS)))
            .build());
    vipToController(factory::buildFlowAdd, factory, address)
        .map(rule -> rule.setInstructions(List.of(toController(factory))).build())
        .forEach(rules::add);
    return rules.build();
  }

  /**
   * Sends the SYN, and optionally copies of FIN and RST, of TCP connections to a VIP address to the
   * controller. A SYN goes only to the controller: a client that reuses a port at once starts a new
   * connection, although the old one's rule still exists. FIN and RST continue to the connection's
   * rule. Switches that cannot match TCP flags answer with an error.
   */
  public static List<OFMessage> addTcpFlags(
      OFFactory factory, IPAddress<?> address, boolean withEnds) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    rules.add(
        tcpFlags(factory.buildFlowAdd(), factory, address, SYN, SYN_ACK)
            .setCookie(Cookie.of(Cookie.Kind.VIP, 0))
            .setInstructions(List.of(toController(factory)))
            .build());
    if (!withEnds) {
      return rules.addAll(removeEnds(factory, address)).build();
    }
    for (U16 flag : ENDING_FLAGS) {
      rules.add(
          tcpFlags(factory.buildFlowAdd(), factory, address, flag, flag)
              .setCookie(Cookie.of(Cookie.Kind.END, 0))
              .setInstructions(
                  List.of(
                      toController(factory), factory.instructions().gotoTable(FlowLayout.REQUESTS)))
              .build());
    }
    return rules.build();
  }

  /** Deletes these rules of a VIP address. */
  public static List<OFMessage> removeTcpFlags(OFFactory factory, IPAddress<?> address) {
    return ImmutableList.<OFMessage>builder()
        .add(tcpFlags(factory.buildFlowDeleteStrict(), factory, address, SYN, SYN_ACK).build())
        .addAll(removeEnds(factory, address))
        .build();
  }

  private static List<OFMessage> removeEnds(OFFactory factory, IPAddress<?> address) {
    return ENDING_FLAGS.stream()
        .<OFMessage>map(
            flag -> tcpFlags(factory.buildFlowDeleteStrict(), factory, address, flag, flag).build())
        .toList();
  }

  private static OFFlowMod.Builder tcpFlags(
      OFFlowMod.Builder builder, OFFactory factory, IPAddress<?> address, U16 flags, U16 mask) {
    return builder
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_TCP_FLAGS)
        .setMatch(tcpFlags(factory, address, flags, mask).build());
  }

  /** Matches the first packets of TCP connections to an address. */
  static Match.Builder beginnings(OFFactory factory, IPAddress<?> address) {
    return tcpFlags(factory, address, SYN, SYN_ACK);
  }

  private static Match.Builder tcpFlags(
      OFFactory factory, IPAddress<?> address, U16 flags, U16 mask) {
    return IpFamily.matchTo(factory, address)
        .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
        .setMasked(tcpFlagsField(factory), flags, mask);
  }

  /** A field of its own since OpenFlow 1.5, an extension before. */
  public static MatchField<U16> tcpFlagsField(OFFactory factory) {
    return factory.getVersion().compareTo(OFVersion.OF_15) >= 0
        ? MatchField.TCP_FLAGS
        : MatchField.OVS_TCP_FLAGS;
  }

  /** Deletes the rules of a VIP address. */
  public static List<OFMessage> removeVip(OFFactory factory, IPAddress<?> address) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    rules.add(traffic(factory.buildFlowDeleteStrict(), factory, address).build());
    vipToController(factory::buildFlowDeleteStrict, factory, address)
        .map(OFFlowMod.Builder::build)
        .forEach(rules::add);
    return rules.build();
  }

  private static OFFlowMod.Builder traffic(
      OFFlowMod.Builder builder, OFFactory factory, IPAddress<?> address) {
    return vip(builder, FlowLayout.PRIORITY_VIP, IpFamily.matchTo(factory, address).build());
  }

  /**
   * Neighbour messages and ICMP errors. The rule of a ping would take errors, too, and not
   * translate their quotes.
   */
  private static Stream<OFFlowMod.Builder> vipToController(
      Supplier<OFFlowMod.Builder> command, OFFactory factory, IPAddress<?> address) {
    return Stream.concat(
        IpFamily.matchNeighbours(factory, address).stream()
            .map(match -> vip(command.get(), FlowLayout.PRIORITY_VIP_NEIGHBOURS, match.build())),
        IpFamily.matchErrors(factory, address).stream()
            .map(match -> vip(command.get(), FlowLayout.PRIORITY_VIP_ERRORS, match.build())));
  }

  private static OFFlowMod.Builder vip(OFFlowMod.Builder builder, int priority, Match match) {
    return builder
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(priority)
        .setCookie(Cookie.of(Cookie.Kind.VIP, 0))
        .setMatch(match);
  }

  /** Deletes the request rules of all connections to a VIP: packets of clients then miss. */
  public static OFMessage removeRequestsOfVip(OFFactory factory, int vipNumber) {
    return deleteByCookie(
        factory, Cookie.of(Cookie.Kind.REQUEST, vipNumber, 0, 0), Cookie.vipMask());
  }

  /** Deletes the request rules of all connections to a member. */
  public static OFMessage removeRequestsOfMember(OFFactory factory, int memberNumber) {
    return deleteByCookie(
        factory, Cookie.of(Cookie.Kind.REQUEST, 0, memberNumber, 0), Cookie.memberMask());
  }

  /** Deletes, from all tables, the rules whose cookies match. */
  public static OFMessage deleteByCookie(OFFactory factory, U64 cookie, U64 mask) {
    return factory
        .buildFlowDelete()
        .setTableId(TableId.ALL)
        .setOutPort(OFPort.ANY)
        .setCookie(cookie)
        .setCookieMask(mask)
        .build();
  }

  /** Sends whole packets to the controller. */
  public static OFInstruction toController(OFFactory factory) {
    return factory.instructions().applyActions(List.of(output(factory, OFPort.CONTROLLER)));
  }

  /** Sends whole packets out of a port; it equals the action as it is read back from a switch. */
  public static OFAction output(OFFactory factory, OFPort port) {
    return factory.actions().output(port, WHOLE_PACKET);
  }
}
