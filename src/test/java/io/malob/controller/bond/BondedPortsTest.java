package io.malob.controller.bond;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.bond.BondedPorts.Result;
import io.malob.controller.bond.LacpMessage.End;
import io.malob.openflow.EdgeMac;
import io.malob.testing.Stub;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupAdd;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupModify;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** A switch with a bond of the ports 3 and 4, as it is and as the controller sees it. */
class BondedPortsTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final OFPort FIRST = OFPort.of(3);
  private static final OFPort SECOND = OFPort.of(4);
  private static final OFPort OTHER = OFPort.of(1);
  private static final DatapathId SWITCH = DatapathId.of(1);
  private static final OFGroup GROUP = OFGroup.of(0x4d42_0003);

  private final BondedPorts ports = bonded("00:00:00:00:00:00:00:01/3+4");

  private static BondedPorts bonded(String setting) {
    return new BondedPorts(Bonds.parse(setting).of(SWITCH), FACTORY, () -> 0);
  }

  private static OFPortDesc port(OFPort number, boolean isUp) {
    return FACTORY
        .buildPortDesc()
        .setPortNo(number)
        .setName("p" + number)
        .setState(isUp ? Set.of(OFPortState.LIVE) : Set.of(OFPortState.LINK_DOWN))
        .build();
  }

  /** Which ports the controller sees up, after the first answer about ports. */
  private List<OFPort> upAfter(BondedPorts ports, boolean first, boolean second) {
    OFMessage shown =
        ports
            .fromSwitch(
                FACTORY
                    .buildPortDescStatsReply()
                    .setEntries(
                        List.of(port(OTHER, true), port(FIRST, first), port(SECOND, second)))
                    .build())
            .toController()
            .get(0);
    return ((OFPortDescStatsReply) shown)
        .getEntries().stream()
            .filter(OFPortDesc::isEnabled)
            .map(OFPortDesc::getPortNo)
            .sorted()
            .toList();
  }

  private static Result change(BondedPorts ports, OFPort port, boolean isUp) {
    return ports.fromSwitch(
        FACTORY.buildPortStatus().setReason(OFPortReason.MODIFY).setDesc(port(port, isUp)).build());
  }

  /** The ports whose state the controller is told, with it. */
  private static List<String> told(Result result) {
    return result.toController().stream()
        .map(each -> ((OFPortStatus) each).getDesc())
        .map(desc -> desc.getPortNo() + (desc.isEnabled() ? " up" : " down"))
        .toList();
  }

  private static OFFlowAdd rule(OFPort from, OFPort to) {
    return FACTORY
        .buildFlowAdd()
        .setTableId(TableId.of(3))
        .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, from).build())
        .setInstructions(List.of(FACTORY.instructions().applyActions(List.of(output(to)))))
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  private static OFAction output(OFPort port) {
    return FACTORY.actions().output(port, Integer.MAX_VALUE);
  }

  private static List<OFPort> outputsOf(OFMessage group) {
    return ((OFGroupMod) group).getBuckets().stream().map(each -> each.getWatchPort()).toList();
  }

  @Test
  void firstPort_isUpAsLongAsAnyIs() {
    assertEquals(List.of(OTHER, FIRST), upAfter(ports, true, true));
    assertEquals(List.of(OTHER, FIRST), upAfter(ports, false, true));
    assertEquals(List.of(OTHER), upAfter(ports, false, false));
  }

  @Test
  void changesOfPorts_areThoseOfTheBond() {
    upAfter(ports, true, true);
    assertEquals(List.of("3 up"), told(change(ports, FIRST, false)));
    assertEquals(List.of("4 down", "3 down"), told(change(ports, SECOND, false)));
    assertEquals(List.of("4 down", "3 up"), told(change(ports, SECOND, true)));
    assertEquals(List.of("1 down"), told(change(ports, OTHER, false)));
  }

  @Test
  void packetsFromAnyPort_comeFromTheFirst() {
    for (OFPort port : List.of(FIRST, SECOND)) {
      OFMessage packetIn = ports.fromSwitch(packetIn(port, new byte[60])).toController().get(0);
      assertEquals(FIRST, ((OFPacketIn) packetIn).getMatch().get(MatchField.IN_PORT));
    }
    OFMessage other = ports.fromSwitch(packetIn(OTHER, new byte[60])).toController().get(0);
    assertEquals(OTHER, ((OFPacketIn) other).getMatch().get(MatchField.IN_PORT));
  }

  private static OFPacketIn packetIn(OFPort port, byte[] frame) {
    return FACTORY
        .buildPacketIn()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setReason(OFPacketInReason.NO_MATCH)
        .setTableId(TableId.of(0))
        .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, port).build())
        .setData(frame)
        .build();
  }

  @Test
  void rulesToTheBond_leaveByItsGroup_whichIsSentBefore() {
    upAfter(ports, true, true);
    List<OFMessage> sent = ports.toSwitch(rule(OTHER, FIRST));
    OFGroupAdd add = assertInstanceOf(OFGroupAdd.class, sent.get(0));
    assertEquals(GROUP, add.getGroup());
    assertEquals(OFGroupType.SELECT, add.getGroupType());
    assertEquals(List.of(FIRST, SECOND), outputsOf(add));
    assertInstanceOf(OFGroupModify.class, sent.get(1));
    OFFlowAdd rule = assertInstanceOf(OFFlowAdd.class, sent.get(2));
    assertEquals(
        List.of(FACTORY.instructions().applyActions(List.of(FACTORY.actions().group(GROUP)))),
        rule.getInstructions());
    assertEquals(3, sent.size());
    assertEquals(1, ports.toSwitch(rule(OTHER, FIRST)).size(), "it has the group");
  }

  @Test
  void rulesAndPacketsOfOtherPorts_areNotChanged() {
    OFFlowAdd rule = rule(OTHER, OTHER);
    assertEquals(List.of(rule), ports.toSwitch(rule));
    OFPacketOut probe = packetOut(SECOND);
    assertEquals(List.of(probe), ports.toSwitch(probe));
  }

  private static OFPacketOut packetOut(OFPort port) {
    return FACTORY
        .buildPacketOut()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setInPort(OFPort.CONTROLLER)
        .setActions(List.of(output(port)))
        .setData(new byte[60])
        .build();
  }

  @Test
  void packetsToTheBond_leaveByItsGroup() {
    upAfter(ports, true, true);
    List<OFMessage> sent = ports.toSwitch(packetOut(FIRST));
    OFPacketOut packet = assertInstanceOf(OFPacketOut.class, sent.get(sent.size() - 1));
    assertEquals(List.of(FACTORY.actions().group(GROUP)), packet.getActions());
  }

  /** As those that deliver the first packets of connections. */
  @Test
  void packetsThatKnowOnlyTheirBytes_leaveByItsGroupToo() {
    upAfter(ports, true, true);
    OFPacketOut packet = packetOut(FIRST);
    OFMessage bytes =
        Stub.of(OFMessage.class)
            .on("getType", with -> OFType.PACKET_OUT)
            .on(
                "writeTo",
                with -> {
                  packet.writeTo((ByteBuf) with[0]);
                  return null;
                })
            .make();
    List<OFMessage> sent = ports.toSwitch(bytes);
    OFPacketOut last = assertInstanceOf(OFPacketOut.class, sent.get(sent.size() - 1));
    assertEquals(List.of(FACTORY.actions().group(GROUP)), last.getActions());
  }

  @Test
  void rulesForPacketsFromTheBond_areOneForEachPort_andOneTellsOfItsEnd() {
    List<OFMessage> sent = ports.toSwitch(rule(FIRST, OTHER));
    assertEquals(
        List.of(FIRST, SECOND),
        sent.stream().map(each -> ((OFFlowAdd) each).getMatch().get(MatchField.IN_PORT)).toList());
    assertEquals(Set.of(OFFlowModFlags.SEND_FLOW_REM), ((OFFlowAdd) sent.get(0)).getFlags());
    assertEquals(Set.of(), ((OFFlowAdd) sent.get(1)).getFlags());
  }

  @Test
  void ruleForPacketsFromTheBond_keepsTheRestOfItsMatch() {
    Match match =
        FACTORY
            .buildMatch()
            .setExact(MatchField.IN_PORT, FIRST)
            .setExact(MatchField.ETH_SRC, MacAddress.of(9))
            .setMasked(MatchField.ETH_DST, MacAddress.of(8), MacAddress.of(12))
            .build();
    List<OFMessage> sent = ports.toSwitch(FACTORY.buildFlowAdd().setMatch(match).build());
    Match second = ((OFFlowAdd) sent.get(1)).getMatch();
    assertEquals(SECOND, second.get(MatchField.IN_PORT));
    assertEquals(MacAddress.of(9), second.get(MatchField.ETH_SRC));
    assertEquals(match.getMasked(MatchField.ETH_DST), second.getMasked(MatchField.ETH_DST));
  }

  @Test
  void deletingRulesToTheBond_meansItsGroup() {
    OFFlowDelete delete = FACTORY.buildFlowDelete().setOutPort(FIRST).build();
    OFFlowDelete sent = (OFFlowDelete) ports.toSwitch(delete).get(0);
    assertEquals(OFPort.ANY, sent.getOutPort());
    assertEquals(GROUP, sent.getOutGroup());
  }

  @Test
  void rulesThatASwitchIsFoundToHave_areAsTheControllerHasWrittenThem() {
    upAfter(ports, true, true);
    OFFlowAdd toBond = rule(OTHER, FIRST);
    OFFlowAdd fromBond = rule(FIRST, OTHER);
    List<OFFlowStatsEntry> found = new ArrayList<>();
    for (OFFlowAdd rule : List.of(toBond, fromBond)) {
      for (OFMessage sent : ports.toSwitch(rule)) {
        if (sent instanceof OFFlowAdd add) {
          found.add(
              FACTORY
                  .buildFlowStatsEntry()
                  .setMatch(add.getMatch())
                  .setInstructions(add.getInstructions())
                  .build());
        }
      }
    }
    assertEquals(3, found.size());
    OFFlowStatsReply shown =
        (OFFlowStatsReply)
            ports
                .fromSwitch(FACTORY.buildFlowStatsReply().setEntries(found).build())
                .toController()
                .get(0);
    assertEquals(
        List.of(toBond.getInstructions(), fromBond.getInstructions()),
        shown.getEntries().stream().map(OFFlowStatsEntry::getInstructions).toList());
  }

  @Test
  void groupFollowsThePorts_ifTheSwitchHasIt() {
    upAfter(ports, true, true);
    assertEquals(List.of(), change(ports, FIRST, false).toSwitch(), "no rule needs it yet");
    change(ports, FIRST, true);
    ports.toSwitch(rule(OTHER, FIRST));
    List<OFMessage> changed = change(ports, FIRST, false).toSwitch();
    assertEquals(List.of(SECOND), outputsOf(changed.get(1)));
    assertEquals(List.of(), change(ports, FIRST, false).toSwitch());
    assertEquals(
        List.of(FIRST, SECOND),
        outputsOf(change(ports, SECOND, false).toSwitch().get(1)),
        "without any, the first that comes up is used");
  }

  @Test
  void groupThatTheSwitchHasFromBefore_isChanged_andTheErrorIsNotTold() {
    OFMessage add = ports.toSwitch(rule(OTHER, FIRST)).get(0);
    Result result = ports.fromSwitch(failed(add, OFGroupModFailedCode.GROUP_EXISTS));
    assertEquals(new Result(List.of(), List.of()), result);
  }

  private static OFMessage failed(OFMessage of, OFGroupModFailedCode code) {
    return FACTORY
        .errorMsgs()
        .buildGroupModFailedErrorMsg()
        .setXid(of.getXid())
        .setCode(code)
        .build();
  }

  @Test
  void switchWithoutSelectGroups_getsOneOfFastFailover() {
    OFMessage add = ports.toSwitch(rule(OTHER, FIRST)).get(0);
    Result result = ports.fromSwitch(failed(add, OFGroupModFailedCode.BAD_TYPE));
    assertEquals(OFGroupType.FF, ((OFGroupAdd) result.toSwitch().get(0)).getGroupType());
  }

  @Test
  void groupThatASlaveMayNotWrite_isSentAgainLater() {
    OFMessage add = ports.toSwitch(rule(OTHER, FIRST)).get(0);
    ports.fromSwitch(
        FACTORY
            .errorMsgs()
            .buildBadRequestErrorMsg()
            .setXid(add.getXid())
            .setCode(OFBadRequestCode.IS_SLAVE)
            .build());
    assertInstanceOf(OFGroupAdd.class, ports.toSwitch(rule(OTHER, FIRST)).get(0));
  }

  @Test
  void lacp_isAnsweredAtItsPort_andGoesNoFurther() {
    BondedPorts lacp = bonded("00:00:00:00:00:00:00:01/3+4 lacp");
    upAfter(lacp, true, true);
    lacp.toSwitch(rule(OTHER, FIRST));
    End host = new End(1, MacAddress.of(9), 2, 3, 4, LacpMessage.IN_SYNC);
    byte[] frame = new LacpMessage(host, host).frame(MacAddress.of(9));
    Result result = lacp.fromSwitch(packetIn(SECOND, frame));
    assertEquals(List.of(), result.toController());
    OFPacketOut answer = (OFPacketOut) result.toSwitch().get(result.toSwitch().size() - 1);
    assertEquals(List.of(output(SECOND)).toString(), answer.getActions().toString());
    LacpMessage read = LacpMessage.read(answer.getData()).orElseThrow();
    assertEquals(EdgeMac.of(SWITCH), read.actor().system());
    assertTrue(read.actor().has(LacpMessage.DISTRIBUTING));
    assertEquals(List.of(SECOND), outputsOf(result.toSwitch().get(0)), "the other is not in sync");
  }

  @Test
  void lacp_ofABondWithoutIt_isNotAnswered() {
    End host = new End(1, MacAddress.of(9), 2, 3, 4, 0);
    byte[] frame = new LacpMessage(host, host).frame(MacAddress.of(9));
    assertEquals(new Result(List.of(), List.of()), ports.fromSwitch(packetIn(FIRST, frame)));
    assertFalse(ports.fromSwitch(packetIn(OTHER, frame)).toController().isEmpty());
  }
}
