package io.malob.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.EdgeMac;
import io.malob.openflow.IpFamily;
import io.malob.openflow.NextHopMac;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
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

/** The checks of a placement's messages, which openflowj builds. */
class SiteTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final TableId HOSTS = TableId.of(3);
  private static final TransportPort VIP_PORT = TransportPort.of(Scenario.VIP_TCP_PORT);
  private static final TransportPort MEMBER_PORT = TransportPort.of(Scenario.MEMBER_TCP_PORT);

  /** One site on one switch. */
  private static final class Placement {
    final AddressFamily family;
    final Scenario scenario;
    final Outbox outbox = new Outbox();
    final Faults faults = new Faults();
    final Site site;
    final MessageScanner scanner;
    int placed;
    final byte[] frame;
    final IPAddress<?> client;
    final IPAddress<?> vip;
    final TransportPort clientPort;

    /** Sends a first packet; the switch has rules for all hosts. */
    Placement(AddressFamily family) throws Exception {
      this.family = family;
      scenario = new Scenario(1, 1, 2, 1, 0, family);
      site =
          new Site(
              scenario,
              0,
              outbox,
              1,
              faults,
              new Site.Outcome() {
                @Override
                public void placed(int any, long nanos) {
                  placed++;
                }

                @Override
                public void failed(long nanos) {}
              });
      scanner = new MessageScanner(family);
      client = family.address(scenario.client(0, 0));
      vip = family.address(scenario.vip(0));
      for (MacAddress host : List.of(client(), member(0), member(1))) {
        rule(
            HOSTS,
            FACTORY
                .buildMatch()
                .setMasked(MatchField.ETH_SRC, host, MacAddress.of("00:ff:ff:ff:ff:ff"))
                .build());
      }
      site.prepare(1);
      assertTrue(site.send(0));
      byte[] packetIn = Arrays.copyOf(outbox.bytes(), outbox.append(0));
      OFMessage read = OFFactories.getGenericReader().readFrom(Unpooled.wrappedBuffer(packetIn));
      frame = ((OFPacketIn) read).getData();
      clientPort = TransportPort.of(Bytes.uint16(frame, 14 + family.headerBytes));
    }

    IPAddress<?> address(int number) {
      return family.address(scenario.member(0, number));
    }

    private MacAddress member(int number) {
      return NextHopMac.of(MacAddress.of(scenario.memberMac(0, number)), 0);
    }

    private MacAddress client() {
      return NextHopMac.of(MacAddress.of(scenario.clientMac(0, 0)), 0);
    }

    private void rule(TableId table, Match match, OFOxm<?>... set) {
      List<OFAction> actions =
          Arrays.stream(set).<OFAction>map(FACTORY.actions()::setField).toList();
      byte[] bytes =
          bytes(
              FACTORY
                  .buildFlowAdd()
                  .setTableId(table)
                  .setIdleTimeout(15)
                  .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
                  .setMatch(match)
                  .setInstructions(
                      List.of(
                          FACTORY.instructions().applyActions(actions),
                          FACTORY.instructions().gotoTable(HOSTS)))
                  .build());
      scanner.readFlowMod(bytes, 0, bytes.length);
      site.flowMod(0, scanner, 1);
    }

    private Match match(
        IPAddress<?> src, IPAddress<?> dst, TransportPort srcPort, TransportPort dstPort) {
      return IpFamily.matchBetween(FACTORY, IpProtocol.TCP, src, dst)
          .setExact(MatchField.TCP_SRC, srcPort)
          .setExact(MatchField.TCP_DST, dstPort)
          .build();
    }

    void request(int to) {
      request(to, to);
    }

    void request(int to, int nextHop) {
      rule(
          TableId.of(1),
          match(client, vip, clientPort, VIP_PORT),
          IpFamily.newDestination(FACTORY, address(to)),
          FACTORY.oxms().ethSrc(member(nextHop)),
          FACTORY.oxms().tcpDst(MEMBER_PORT));
    }

    void reply(IPAddress<?> newSource) {
      rule(
          TableId.of(0),
          match(address(1), client, MEMBER_PORT, clientPort),
          IpFamily.newSource(FACTORY, newSource),
          FACTORY.oxms().ethSrc(client()),
          FACTORY.oxms().tcpSrc(VIP_PORT));
    }

    void packet(byte[] data) {
      byte[] bytes =
          bytes(
              FACTORY
                  .buildPacketOut()
                  .setInPort(OFPort.CONTROLLER)
                  .setData(data)
                  .setActions(
                      List.of(
                          FACTORY.actions().setField(IpFamily.newDestination(FACTORY, address(1))),
                          FACTORY.actions().setField(FACTORY.oxms().tcpDst(MEMBER_PORT)),
                          FACTORY
                              .actions()
                              .setField(FACTORY.oxms().ethSrc(EdgeMac.of(DatapathId.of(1)))),
                          FACTORY
                              .actions()
                              .setField(
                                  FACTORY.oxms().ethDst(MacAddress.of(scenario.memberMac(0, 1)))),
                          FACTORY.actions().output(OFPort.of(scenario.memberPort(1)), 0)))
                  .build());
      scanner.readPacketOut(bytes, 0, bytes.length);
      assertTrue(site.packetOut(0, scanner, bytes, 1));
    }

    private static byte[] bytes(OFMessage message) {
      ByteBuf buffer = Unpooled.buffer();
      message.writeTo(buffer);
      return Arrays.copyOf(buffer.array(), buffer.readableBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  void rightMessages_areAPlacement(AddressFamily family) throws Exception {
    Placement placement = new Placement(family);
    placement.request(1);
    placement.reply(placement.vip);
    assertEquals(0, placement.placed);
    placement.packet(placement.frame);
    assertEquals(Map.of(), placement.faults.examples());
    assertEquals(1, placement.placed);
  }

  @ParameterizedTest
  @EnumSource
  void rulesOfTwoMembers_areAFault(AddressFamily family) throws Exception {
    Placement placement = new Placement(family);
    placement.request(0);
    placement.reply(placement.vip);
    assertEquals(Map.of("wrong_member", 1L), placement.faults.counts());
  }

  @ParameterizedTest
  @EnumSource
  void requestForAnotherNextHop_isAFault(AddressFamily family) throws Exception {
    Placement placement = new Placement(family);
    placement.request(1, 0);
    assertEquals(Map.of("wrong_rule", 1L), placement.faults.counts());
  }

  @ParameterizedTest
  @EnumSource
  void replyThatNamesAnotherVip_isAFault(AddressFamily family) throws Exception {
    Placement placement = new Placement(family);
    placement.reply(family.address(placement.scenario.vip(0) + 1));
    assertEquals(Map.of("wrong_rule", 1L), placement.faults.counts());
  }

  @ParameterizedTest
  @EnumSource
  void rewritesOfTheOtherFamily_areAFault(AddressFamily family) throws Exception {
    AddressFamily other = family == AddressFamily.IPV4 ? AddressFamily.IPV6 : AddressFamily.IPV4;
    Placement placement = new Placement(family);
    placement.reply(other.address(placement.scenario.vip(0)));
    assertEquals(Map.of("wrong_rule", 1L), placement.faults.counts());
  }

  @ParameterizedTest
  @EnumSource
  void changedSequenceNumber_isAFault(AddressFamily family) throws Exception {
    Placement placement = new Placement(family);
    placement.frame[14 + family.headerBytes + 7]++;
    placement.packet(placement.frame);
    assertEquals(Map.of("wrong_packet", 1L), placement.faults.counts());
  }
}
