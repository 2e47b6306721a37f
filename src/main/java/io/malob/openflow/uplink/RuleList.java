package io.malob.openflow.uplink;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.IpFamily;
import io.malob.openflow.uplink.UplinkCookie.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;

/** Rules of one epoch that do not belong to flows, in the making. For one thread. */
final class RuleList {
  private static final int WHOLE_PACKET = 0xffff;

  private final OFFactory factory;
  private final int epoch;
  private final List<OFMessage> rules = new ArrayList<>();

  RuleList(OFFactory factory, int epoch) {
    this.factory = factory;
    this.epoch = epoch;
  }

  List<OFMessage> made() {
    return ImmutableList.copyOf(rules);
  }

  /** Sends packets from this port with these fields to the controller. */
  void toController(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(UplinkLayout.CLASSIFY, priority, at(port, fields), toController());
  }

  /** Sends the same packets to the table of flows. */
  void toFlows(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(
        UplinkLayout.CLASSIFY,
        priority,
        at(port, fields),
        factory.instructions().gotoTable(UplinkLayout.FLOWS));
  }

  /** Drops the same packets. */
  void drop(OFPort port, int priority, Consumer<Match.Builder> fields) {
    add(UplinkLayout.CLASSIFY, priority, at(port, fields));
  }

  /** Sends packets without a known flow to the controller. */
  void unknown(OFPort port, Consumer<Match.Builder> fields) {
    add(UplinkLayout.FLOWS, UplinkLayout.PRIORITY_UNKNOWN, at(port, fields), toController());
  }

  /** Copies FIN and RST to the controller. */
  void ends(OFPort port, IpFamily family, List<U16> flags) {
    for (U16 flag : flags) {
      rules.add(
          factory
              .buildFlowAdd()
              .setTableId(UplinkLayout.CLASSIFY)
              .setPriority(UplinkLayout.PRIORITY_TCP_FLAGS - 1)
              .setCookie(UplinkCookie.of(Kind.END, epoch, 0))
              .setMatch(at(port, tcp(family, flag, flag)))
              .setInstructions(
                  List.of(toController(), factory.instructions().gotoTable(UplinkLayout.FLOWS)))
              .build());
    }
  }

  void add(TableId table, int priority, Match match, OFInstruction... instructions) {
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

  OFInstruction toController() {
    return factory
        .instructions()
        .applyActions(List.of(factory.actions().output(OFPort.CONTROLLER, WHOLE_PACKET)));
  }

  Match at(OFPort port, Consumer<Match.Builder> fields) {
    Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, port);
    fields.accept(match);
    return match.build();
  }

  /** TCP with these flags; not all switches can match that. */
  Consumer<Match.Builder> tcp(IpFamily family, U16 flags, U16 mask) {
    // a field of its own since OpenFlow 1.5, an extension before
    MatchField<U16> field =
        factory.getVersion().compareTo(OFVersion.OF_15) >= 0
            ? MatchField.TCP_FLAGS
            : MatchField.OVS_TCP_FLAGS;
    return family.protocol(IpProtocol.TCP).andThen(match -> match.setMasked(field, flags, mask));
  }

  static Consumer<Match.Builder> arp() {
    return match -> match.setExact(MatchField.ETH_TYPE, EthType.ARP);
  }

  /** Fragments of IPv4: switches treat their ports as 0. */
  static Consumer<Match.Builder> fragment(IpProtocol protocol) {
    boolean isTcp = protocol.equals(IpProtocol.TCP);
    return IpFamily.IPV4
        .protocol(protocol)
        .andThen(
            match ->
                match
                    .setExact(isTcp ? MatchField.TCP_SRC : MatchField.UDP_SRC, TransportPort.NONE)
                    .setExact(isTcp ? MatchField.TCP_DST : MatchField.UDP_DST, TransportPort.NONE));
  }
}
