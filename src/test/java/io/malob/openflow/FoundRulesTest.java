package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelRulesAccess;
import io.malob.testing.Topologies;
import io.malob.testing.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** Reading a rule back gives what it was made of, in every version and over the wire. */
class FoundRulesTest {
  private static final FoundRules PARSER = new FoundRules(TableLayout.FOUR_TABLES, Map.of());

  private static final int SEED = 20;
  private static final int CASES = 300;
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:0b");

  private static OFFlowStatsEntry.Builder entry(OFFactory factory) {
    OFFlowStatsEntry.Builder entry = factory.buildFlowStatsEntry();
    return factory.getVersion() == OFVersion.OF_15
        ? entry.setStats(factory.buildStat().build())
        : entry;
  }

  /** What a switch tells about a rule that it was sent. */
  private static OFFlowStatsEntry told(OFFactory factory, OFMessage message) throws OFParseError {
    OFFlowAdd rule = (OFFlowAdd) Wire.readBack(message);
    OFFlowStatsEntry entry =
        entry(factory)
            .setTableId(rule.getTableId())
            .setPriority(rule.getPriority())
            .setCookie(rule.getCookie())
            .setMatch(rule.getMatch())
            .setInstructions(rule.getInstructions())
            .build();
    ByteBuf wire = Unpooled.buffer();
    factory.buildFlowStatsReply().setEntries(List.of(entry)).build().writeTo(wire);
    OFMessage read = OFFactories.getGenericReader().readFrom(wire);
    return ((OFFlowStatsReply) read).getEntries().get(0);
  }

  private static FiveTuple randomTuple(Random random) {
    int protocol = List.of(1, 6, 17).get(random.nextInt(3));
    return FiveTuple.of(
        protocol,
        random.nextInt(),
        protocol == 1 ? 0 : random.nextInt(0x10000),
        random.nextInt(),
        protocol == 1 ? 0 : random.nextInt(0x10000));
  }

  /** The same packets with other addresses and ports, as far as they have any. */
  private static FiveTuple rewritten(Random random, FiveTuple tuple) {
    boolean icmp = tuple.protocol() == 1;
    boolean source = random.nextBoolean();
    return FiveTuple.of(
        tuple.protocol(),
        source ? random.nextInt() : tuple.srcAddress(),
        source && !icmp ? random.nextInt(0x10000) : tuple.srcPort(),
        source ? tuple.dstAddress() : random.nextInt(),
        source || icmp ? tuple.dstPort() : random.nextInt(0x10000));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void rulesOfConnections_areReadBackAsTheyWereMade(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    Random random = new Random(SEED);
    for (int i = 0; i < CASES; i++) {
      FiveTuple incoming = randomTuple(random);
      Optional<Label> label =
          random.nextBoolean()
              ? Optional.of(new Label(1 + random.nextInt(Label.MAX_ID)))
              : Optional.empty();
      int vlan = random.nextBoolean() ? 0 : 1 + random.nextInt(4094);
      int receiverVlan = random.nextBoolean() ? 0 : 1 + random.nextInt(4094);
      Attachment receiver = new Attachment(DatapathId.of(1), OFPort.of(1), MAC, receiverVlan);
      Translation translation =
          new Translation(
              incoming,
              rewritten(random, incoming),
              vlan,
              label.orElse(null),
              receiver,
              OFPort.of(1));
      FoundRule.Direction expected =
          new FoundRule.Direction(
              incoming,
              translation.outgoing(),
              vlan,
              false,
              null,
              NextHopMac.of(receiver),
              label,
              Optional.empty(),
              1 + random.nextInt(4095),
              1 + random.nextInt(65_535),
              random.nextInt(1 << 20));
      int vip = expected.vipNumber();
      int member = expected.memberNumber();
      int generation = expected.generation();

      OFMessage request =
          ConnectionRules.add(
              factory,
              translation,
              Cookie.of(CookieKind.REQUEST, vip, member, generation),
              15,
              true);
      OFMessage reply =
          ConnectionRules.add(
              factory,
              translation,
              Cookie.of(CookieKind.REPLY, vip, member, generation),
              20,
              false);

      assertEquals(new FoundRule.Request(expected), PARSER.parse(told(factory, request)));
      assertEquals(new FoundRule.Reply(expected), PARSER.parse(told(factory, reply)));
    }
  }

  /** There the rule that translates also delivers: it has the MAC address and tag instead. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void rulesOfConnectionsInOneTable_tellTheirNextHop(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    FoundRules parser = new FoundRules(TableLayout.ONE_TABLE, Map.of());
    FiveTuple incoming = FiveTuple.of(6, 0x0a000001, 40_000, 0x0a000064, 80);
    for (int vlan : new int[] {0, 7}) {
      for (int receiverVlan : new int[] {0, 7, 100}) {
        for (Label label : new Label[] {null, new Label(5)}) {
          OFPort port = OFPort.of(3);
          Attachment receiver = new Attachment(DatapathId.of(1), port, MAC, receiverVlan);
          OFMessage rule =
              ConnectionRules.add(
                  factory,
                  new Translation(incoming, incoming, vlan, label, receiver, port),
                  Cookie.of(CookieKind.REQUEST, 1, 2, 3),
                  15,
                  true);
          OFMessage inOneTable = ((ConnectionRule) rule).in(factory, TableLayout.ONE_TABLE);

          assertEquals(
              new FoundRule.Request(
                  new FoundRule.Direction(
                      incoming,
                      incoming,
                      vlan,
                      false,
                      null,
                      NextHopMac.of(receiver),
                      Optional.ofNullable(label),
                      Optional.of(port),
                      1,
                      2,
                      3)),
              parser.parse(told(factory, inOneTable)));
        }
      }
    }
  }

  /** It led by the host's address: packets carry other numbers now. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void ruleOfAHost_ofAnEarlierVersion_isUnreadable(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    Attachment at = new Attachment(DatapathId.of(1), OFPort.of(7), MAC);
    OFFlowAdd now = (OFFlowAdd) HostRules.add(factory, at, 60).get(0);
    OFFlowAdd earlier =
        now.createBuilder()
            .setMatch(IpFamily.matchTo(factory, IPv4Address.of("10.0.0.1")).build())
            .build();

    assertEquals(new FoundRule.Unreadable(), PARSER.parse(told(factory, earlier)));
    assertEquals(MacAddress.NONE, HostRules.nextHop(earlier.getMatch()));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void rulesOfLabels_areReadBackAsTheyWereMade(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    Label label = new Label(Label.MAX_ID);
    OFMessage first = LabelRulesAccess.add(factory, label, Topologies.path(1, 2), DatapathId.of(1));
    OFMessage last = LabelRulesAccess.add(factory, label, Topologies.path(1, 2), DatapathId.of(2));

    FoundRule.Hop hop = assertInstanceOf(FoundRule.Hop.class, PARSER.parse(told(factory, first)));

    assertEquals(label, hop.label());
    assertEquals(Optional.of(Topologies.path(1, 2).links().get(0).srcPort()), hop.out());
    assertEquals(new FoundRule.Hop(label, Optional.empty()), PARSER.parse(told(factory, last)));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void rulesOfHostsVipsAndSwitches_areReadBackAsTheyWereMade(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    IPv4Address address = IPv4Address.of("10.0.0.100");
    for (int vlan : new int[] {0, 1, 4_094}) {
      Attachment at = new Attachment(DatapathId.of(1), OFPort.of(7), MAC, vlan);
      List<OFMessage> host = HostRules.add(factory, at, 60);
      assertEquals(
          new FoundRule.Host(NextHopMac.of(at), OFPort.of(7), MAC, vlan),
          PARSER.parse(told(factory, host.get(0))));
      assertEquals(new FoundRule.HostOnSamePort(), PARSER.parse(told(factory, host.get(1))));
      for (OFMessage rule : host) {
        assertEquals(NextHopMac.of(at), HostRules.nextHop(((OFFlowAdd) rule).getMatch()));
      }
    }
    for (OFMessage vip : SwitchRules.addVip(factory, address)) {
      assertEquals(new FoundRule.Vip(address), PARSER.parse(told(factory, vip)));
    }
    for (OFMessage flags : SwitchRules.addTcpFlags(factory, address, true)) {
      assertEquals(new FoundRule.Vip(address), PARSER.parse(told(factory, flags)));
    }
    for (OFMessage fixed : SwitchRules.fixed(factory)) {
      assertEquals(new FoundRule.Fixed(), PARSER.parse(told(factory, fixed)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void ruleThatSaysNothing_isUnreadableAndOneOfOthersIsForeign(OFVersion version) {
    OFFactory factory = OFFactories.getFactory(version);
    for (CookieKind kind : Cookie.KINDS) {
      OFFlowStatsEntry empty =
          entry(factory)
              .setCookie(Cookie.of(kind, 1))
              .setMatch(factory.matchWildcardAll())
              .setPriority(7)
              .setInstructions(List.of())
              .build();
      FoundRule expected =
          kind == CookieKind.PROBE || kind == CookieKind.FLOOD
              ? new FoundRule.Unowned()
              : new FoundRule.Unreadable();
      assertEquals(expected, PARSER.parse(empty), kind.name());
    }
    OFFlowStatsEntry foreign = entry(factory).setMatch(factory.matchWildcardAll()).build();
    assertEquals(new FoundRule.Unowned(), PARSER.parse(foreign));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void remove_namesTheRuleAndItsCookie(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    OFMessage flags = SwitchRules.addTcpFlags(factory, IPv4Address.of("10.0.0.100"), true).get(1);
    OFFlowStatsEntry entry = told(factory, flags);
    ByteBuf wire = Unpooled.buffer();

    FoundRules.remove(factory, entry).writeTo(wire);

    OFFlowDeleteStrict read = (OFFlowDeleteStrict) OFFactories.getGenericReader().readFrom(wire);
    assertEquals(((OFFlowAdd) flags).getMatch(), read.getMatch());
    assertEquals(((OFFlowAdd) flags).getPriority(), read.getPriority());
    assertEquals(((OFFlowAdd) flags).getTableId(), read.getTableId());
    assertEquals(((OFFlowAdd) flags).getCookie(), read.getCookie());
    assertEquals(U64.of(-1), read.getCookieMask());
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void slices_haveEachRuleOfOursOnceAndNoOther(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    Random random = new Random(SEED);
    int slices = 8;
    for (int i = 0; i < CASES; i++) {
      U64 ours = Cookie.of(CookieKind.REPLY, 1, 2, random.nextInt());
      U64 theirs = U64.of(random.nextLong() & 0xfff_ffff_ffffL);
      int in = 0;
      for (int slice = 0; slice < slices; slice++) {
        ByteBuf wire = Unpooled.buffer();
        FoundRules.request(factory, slice, slices).writeTo(wire);
        OFFlowStatsRequest request =
            (OFFlowStatsRequest) OFFactories.getGenericReader().readFrom(wire);
        U64 mask = request.getCookieMask();
        in += ours.applyMask(mask).equals(request.getCookie()) ? 1 : 0;
        assertTrue(!theirs.applyMask(mask).equals(request.getCookie()));
      }
      assertEquals(1, in);
    }
  }
}
