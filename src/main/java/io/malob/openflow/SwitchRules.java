package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/** The rules that every switch holds, whatever connections there are. Pure. */
public final class SwitchRules {
  /** Packets are sent to the controller whole: no current switch buffers them well. */
  private static final int WHOLE_PACKET = 0xffff;

  private static final ImmutableList<U16> ENDING_FLAGS =
      ImmutableList.of(U16.of(Packet.TCP_FIN), U16.of(Packet.TCP_RST));

  private SwitchRules() {}

  /** Takes all rules of ours away and puts the fixed ones in place. */
  public static List<OFMessage> reset(OFFactory factory) {
    return ImmutableList.of(
        deleteByCookie(factory, Cookie.of(Cookie.Kind.SWITCH, 0), Cookie.applicationMask()),
        factory.barrierRequest(),
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

  /** Leads what is for a VIP address, and ARP for it, to us. */
  public static List<OFMessage> addVip(OFFactory factory, IPv4Address address) {
    return ImmutableList.of(
        vip(factory.buildFlowAdd(), vipTraffic(factory, address))
            .setInstructions(List.of(factory.instructions().gotoTable(FlowLayout.REQUESTS)))
            .build(),
        vip(factory.buildFlowAdd(), vipArp(factory, address))
            .setInstructions(List.of(toController(factory)))
            .build());
  }

  /**
   * Copies packets with FIN or RST for a VIP address to the controller, on their way to the
   * connection's own rule. Switches that cannot match TCP flags answer with an error.
   */
  public static List<OFMessage> addEnds(OFFactory factory, IPv4Address address) {
    return ENDING_FLAGS.stream()
        .<OFMessage>map(
            flag ->
                end(factory.buildFlowAdd(), factory, address, flag)
                    .setInstructions(
                        List.of(
                            toController(factory),
                            factory.instructions().gotoTable(FlowLayout.REQUESTS)))
                    .build())
        .collect(ImmutableList.toImmutableList());
  }

  /** Takes the rules for the ends of a VIP address's connections away. */
  public static List<OFMessage> removeEnds(OFFactory factory, IPv4Address address) {
    return ENDING_FLAGS.stream()
        .<OFMessage>map(
            flag -> end(factory.buildFlowDeleteStrict(), factory, address, flag).build())
        .collect(ImmutableList.toImmutableList());
  }

  private static OFFlowMod.Builder end(
      OFFlowMod.Builder builder, OFFactory factory, IPv4Address address, U16 flag) {
    // a field of its own since OpenFlow 1.5, an extension before
    MatchField<U16> flags =
        factory.getVersion().compareTo(OFVersion.OF_15) >= 0
            ? MatchField.TCP_FLAGS
            : MatchField.OVS_TCP_FLAGS;
    return builder
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_END)
        .setCookie(Cookie.of(Cookie.Kind.END, 0))
        .setMatch(
            factory
                .buildMatch()
                .setExact(MatchField.ETH_TYPE, EthType.IPv4)
                .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
                .setExact(MatchField.IPV4_DST, address)
                .setMasked(flags, flag, flag)
                .build());
  }

  /** Takes the rules of a VIP address away. */
  public static List<OFMessage> removeVip(OFFactory factory, IPv4Address address) {
    return ImmutableList.of(
        vip(factory.buildFlowDeleteStrict(), vipTraffic(factory, address)).build(),
        vip(factory.buildFlowDeleteStrict(), vipArp(factory, address)).build());
  }

  private static OFFlowMod.Builder vip(OFFlowMod.Builder builder, Match match) {
    return builder
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_VIP)
        .setCookie(Cookie.of(Cookie.Kind.VIP, 0))
        .setMatch(match);
  }

  private static Match vipTraffic(OFFactory factory, IPv4Address address) {
    return factory
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv4)
        .setExact(MatchField.IPV4_DST, address)
        .build();
  }

  private static Match vipArp(OFFactory factory, IPv4Address address) {
    return factory
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.ARP)
        .setExact(MatchField.ARP_TPA, address)
        .build();
  }

  /** Takes away the connections of a VIP. */
  public static OFMessage removeConnectionsOfVip(OFFactory factory, int vipNumber) {
    return deleteByCookie(
        factory, Cookie.of(Cookie.Kind.REQUEST, vipNumber, 0, 0), Cookie.vipMask());
  }

  /** Takes away the connections of a member. */
  public static OFMessage removeConnectionsOfMember(OFFactory factory, int memberNumber) {
    return deleteByCookie(
        factory, Cookie.of(Cookie.Kind.REQUEST, 0, memberNumber, 0), Cookie.memberMask());
  }

  private static OFMessage deleteByCookie(OFFactory factory, U64 cookie, U64 mask) {
    return factory
        .buildFlowDelete()
        .setTableId(TableId.ALL)
        .setOutPort(OFPort.ANY)
        .setCookie(cookie)
        .setCookieMask(mask)
        .build();
  }

  private static OFInstruction toController(OFFactory factory) {
    return factory
        .instructions()
        .applyActions(List.of(factory.actions().output(OFPort.CONTROLLER, WHOLE_PACKET)));
  }
}
