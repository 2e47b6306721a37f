package io.malob.bench.codec;

import io.malob.bench.load.Scenario;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.IpFamily;
import io.malob.openflow.NextHopMac;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/** Builds the messages of a connection like a controller, with openflowj's builders. */
final class Answers {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private static final TableId CLASSIFY = TableId.of(0);
  private static final TableId REQUESTS = TableId.of(1);
  private static final TableId LABELS = TableId.of(2);
  private static final TableId HOSTS = TableId.of(3);
  private static final MacAddress TO_MEMBERS = MacAddress.of("0a:4d:4c:00:00:01");
  private static final MacAddress TO_CLIENTS = MacAddress.of("0a:4d:4c:00:00:02");
  private static final TransportPort VIP_PORT = TransportPort.of(Scenario.VIP_TCP_PORT);
  private static final TransportPort MEMBER_PORT = TransportPort.of(Scenario.MEMBER_TCP_PORT);
  private static final long REQUEST_COOKIE = 0x6522L << 48;
  private static final long REPLY_COOKIE = 0x6523L << 48;
  private static final int IDLE_SECONDS = 15;

  private final Scenario scenario;

  Answers(Scenario scenario) {
    this.scenario = scenario;
  }

  private boolean isLabelled() {
    return scenario.pathLength() > 1;
  }

  /** The rule at the client's edge. */
  OFMessage request(int site, int client, int clientPort, int member, int generation) {
    List<OFAction> actions = toMember(site, member);
    actions.add(set(FACTORY.oxms().ethSrc(nextHop(scenario.memberMac(site, member)))));
    if (isLabelled()) {
      actions.add(set(FACTORY.oxms().ethDst(TO_MEMBERS)));
    }
    return rule(actions)
        .setTableId(REQUESTS)
        .setPriority(1_000)
        .setCookie(U64.of(REQUEST_COOKIE | generation))
        .setIdleTimeout(IDLE_SECONDS)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .setMatch(match(client, scenario.vip(site), TransportPort.of(clientPort), VIP_PORT))
        .build();
  }

  /** The rule at the member's edge. */
  OFMessage reply(int site, int client, int clientPort, int member, int generation) {
    List<OFAction> actions = new ArrayList<>();
    int number = client - scenario.client(site, 0);
    actions.add(set(FACTORY.oxms().ethSrc(nextHop(scenario.clientMac(site, number)))));
    actions.add(set(IpFamily.newSource(FACTORY, address(scenario.vip(site)))));
    actions.add(set(FACTORY.oxms().tcpSrc(VIP_PORT)));
    if (isLabelled()) {
      actions.add(set(FACTORY.oxms().ethDst(TO_CLIENTS)));
    }
    return rule(actions)
        .setTableId(CLASSIFY)
        .setPriority(49_000)
        .setCookie(U64.of(REPLY_COOKIE | generation))
        .setIdleTimeout(IDLE_SECONDS + 5)
        .setMatch(
            match(scenario.member(site, member), client, MEMBER_PORT, TransportPort.of(clientPort)))
        .build();
  }

  /** The forwarded first packet. */
  OFMessage deliver(int site, int member, byte[] frame) {
    List<OFAction> actions = toMember(site, member);
    DatapathId edge = DatapathId.of(scenario.datapathId(scenario.memberEdge(site)));
    actions.add(set(FACTORY.oxms().ethSrc(EdgeMac.of(edge))));
    actions.add(set(FACTORY.oxms().ethDst(MacAddress.of(scenario.memberMac(site, member)))));
    actions.add(
        FACTORY.actions().output(OFPort.of(scenario.memberPort(member)), Integer.MAX_VALUE));
    return FACTORY
        .buildPacketOut()
        .setInPort(OFPort.CONTROLLER)
        .setData(frame)
        .setActions(actions)
        .build();
  }

  private List<OFAction> toMember(int site, int member) {
    List<OFAction> actions = new ArrayList<>();
    actions.add(set(IpFamily.newDestination(FACTORY, address(scenario.member(site, member)))));
    actions.add(set(FACTORY.oxms().tcpDst(MEMBER_PORT)));
    return actions;
  }

  private OFFlowMod.Builder rule(List<OFAction> actions) {
    return FACTORY
        .buildFlowAdd()
        .setInstructions(
            List.of(
                FACTORY.instructions().applyActions(actions),
                FACTORY.instructions().gotoTable(isLabelled() ? LABELS : HOSTS)));
  }

  private IPAddress<?> address(int number) {
    return scenario.family().address(number);
  }

  private Match match(int src, int dst, TransportPort srcPort, TransportPort dstPort) {
    return IpFamily.matchBetween(FACTORY, IpProtocol.TCP, address(src), address(dst))
        .setExact(MatchField.TCP_SRC, srcPort)
        .setExact(MatchField.TCP_DST, dstPort)
        .build();
  }

  /** The rules that a switch needs before its first connection: for its hosts and labels. */
  List<OFMessage> preparation(int sw) {
    List<OFMessage> rules = new ArrayList<>();
    int site = scenario.siteOf(sw);
    boolean membersHere = sw == scenario.memberEdge(site);
    boolean clientsHere = sw == scenario.clientEdge(site);
    if (clientsHere) {
      for (int i = 0; i < scenario.clients(); i++) {
        rules.add(host(scenario.clientMac(site, i), scenario.clientPort(i)));
      }
    }
    if (membersHere) {
      for (int i = 0; i < scenario.members(); i++) {
        rules.add(host(scenario.memberMac(site, i), scenario.memberPort(i)));
      }
    }
    if (isLabelled()) {
      rules.add(label(TO_MEMBERS, membersHere ? null : OFPort.of(Scenario.TO_NEXT)));
      rules.add(label(TO_CLIENTS, clientsHere ? null : OFPort.of(Scenario.TO_PREVIOUS)));
    }
    return rules;
  }

  private static MacAddress nextHop(long mac) {
    return NextHopMac.of(MacAddress.of(mac), 0);
  }

  private static OFMessage host(long mac, int port) {
    return FACTORY
        .buildFlowAdd()
        .setTableId(HOSTS)
        .setPriority(1_000)
        .setMatch(FACTORY.buildMatch().setExact(MatchField.ETH_SRC, nextHop(mac)).build())
        .setActions(List.of(FACTORY.actions().output(OFPort.of(port), Integer.MAX_VALUE)))
        .build();
  }

  private static OFMessage label(MacAddress label, @Nullable OFPort onward) {
    OFInstruction instruction =
        onward == null
            ? FACTORY.instructions().gotoTable(HOSTS)
            : FACTORY
                .instructions()
                .applyActions(List.of(FACTORY.actions().output(onward, Integer.MAX_VALUE)));
    return FACTORY
        .buildFlowAdd()
        .setTableId(LABELS)
        .setPriority(1_000)
        .setMatch(FACTORY.buildMatch().setExact(MatchField.ETH_DST, label).build())
        .setInstructions(List.of(instruction))
        .build();
  }

  private static OFAction set(OFOxm<?> field) {
    return FACTORY.actions().setField(field);
  }
}
