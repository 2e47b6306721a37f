package io.malob.openflow.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FoundRule;
import io.malob.openflow.FoundRules;
import io.malob.openflow.IpFamily;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import io.malob.testing.Servers;
import io.malob.testing.Wire;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.action.OFActionPopVlan;
import org.projectfloodlight.openflow.protocol.action.OFActionPushVlan;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionGotoTable;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv4AddressWithMask;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;

/** Rules as switches read them from the wire, and as they are read back from switches. */
class BucketRulesTest {
  /** The first fields of untagged packets. */
  private static final String IPV4 = "eth_type=0x800 vlan_vid=0x0 ";

  private static final FoundRules PARSER = new FoundRules(TableLayout.FOUR_TABLES, Map.of());

  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final BucketTraffic WEB = new BucketTraffic(7, VIP, 0, IpProtocol.TCP, 80);
  private static final BucketTraffic NAMES = new BucketTraffic(8, VIP, 0, IpProtocol.UDP, 53);
  private static final BucketKey PORTS = new BucketKey(BucketSource.PORT, 64);
  private static final BucketKey ADDRESSES = new BucketKey(BucketSource.ADDRESS, 128);
  private static final Server MEMBER = Servers.of(3, 1); // 10.1.0.3:8080
  private static final Label LABEL = new Label(42);
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");

  /** The next hop of clients. */
  private static final Attachment HOP =
      new Attachment(DatapathId.of(9), OFPort.of(4), MacAddress.of("02:00:00:00:00:01"));

  private static final MacAddress TO_HOP = NextHopMac.of(HOP);
  private static final MacAddress TO_MEMBER = NextHopMac.of(MEMBER.at());
  private static final Onward TO_FAR_HOP = Onward.by(LABEL, OFPort.of(7), HOP);
  private static final Onward TO_FAR_MEMBER = Onward.by(LABEL, OFPort.of(7), MEMBER.at());

  private static final BucketTraffic WEB6 =
      new BucketTraffic(9, IPv6Address.of("fd00::64"), 0, IpProtocol.TCP, 80);
  private static final Server MEMBER6 =
      new Server(
          3, AddressKey.of(IPv6Address.of("fd00::3")), 8_080, 1, MEMBER.at(), new ServerLoad());

  private static final BucketTraffic TAGGED_WEB =
      new BucketTraffic(7, VIP, 100, IpProtocol.TCP, 80);
  private static final Attachment TAGGED_HOP =
      new Attachment(HOP.switchId(), HOP.port(), HOP.mac(), 100);
  private static final Server TAGGED_MEMBER = tagged(MEMBER, 200);

  private static Server tagged(Server member, int vlan) {
    Attachment at = member.at();
    return new Server(
        member.number(),
        member.address(),
        member.port(),
        member.weight(),
        new Attachment(at.switchId(), at.port(), at.mac(), vlan),
        member.load());
  }

  private static OFFactory factory(OFVersion version) {
    return OFFactories.getFactory(version);
  }

  private static SwitchTables tables(OFVersion version) {
    return new SwitchTables(factory(version), TableLayout.FOUR_TABLES);
  }

  private static OFFlowMod onWire(OFFlowMod sent) {
    return (OFFlowMod) Wire.readBack(sent);
  }

  private static OFFlowStatsEntry found(OFFactory factory, OFFlowMod sent) {
    OFFlowMod rule = onWire(sent);
    return factory
        .buildFlowStatsEntry()
        .setTableId(rule.getTableId())
        .setPriority(rule.getPriority())
        .setCookie(rule.getCookie())
        .setMatch(rule.getMatch())
        .setInstructions(rule.getInstructions())
        .build();
  }

  private static void assertAt(int table, int priority, OFFlowMod rule) {
    assertEquals(table, rule.getTableId().getValue());
    assertEquals(priority, rule.getPriority());
    assertEquals(0, rule.getIdleTimeout());
  }

  private static String match(OFFlowMod rule) {
    Match match = rule.getMatch();
    StringBuilder text = new StringBuilder();
    for (MatchField<?> field : match.getMatchFields()) {
      text.append(field.getName())
          .append('=')
          .append(match.isExact(field) ? match.get(field) : match.getMasked(field))
          .append(' ');
    }
    return text.toString().strip();
  }

  /** The actions and the next table. */
  private static String does(OFFlowMod rule) {
    Stream.Builder<String> all = Stream.builder();
    for (OFInstruction instruction : rule.getInstructions()) {
      if (instruction instanceof OFInstructionApplyActions apply) {
        apply.getActions().forEach(action -> all.add(text(action)));
      } else if (instruction instanceof OFInstructionGotoTable next) {
        all.add("table " + next.getTableId().getValue());
      } else {
        all.add(instruction.toString());
      }
    }
    return String.join(", ", all.build().toList());
  }

  private static String text(OFAction action) {
    if (action instanceof OFActionSetField set) {
      return set.getField().getMatchField().getName() + "=" + set.getField().getValue();
    }
    if (action instanceof OFActionPopVlan) {
      return "pop_vlan";
    }
    if (action instanceof OFActionPushVlan push) {
      return "push_vlan " + push.getEthertype();
    }
    if (action instanceof OFActionGroup group) {
      return "group " + Integer.toHexString(group.getGroup().getGroupNumber());
    }
    return action instanceof OFActionOutput out ? "to " + out.getPort() : action.toString();
  }

  private static String labelled(MacAddress nextHop) {
    return "eth_src=" + nextHop + ", eth_dst=" + LABEL.mac();
  }

  /** What makes a packet one for a host at its own switch. */
  private static String delivered(Attachment to) {
    String tag = ", push_vlan 0x8100, vlan_vid=" + OFVlanVidMatch.ofVlan(to.vlan());
    return "eth_src="
        + EdgeMac.of(to.switchId())
        + ", eth_dst="
        + to.mac()
        + (to.vlan() == 0 ? "" : tag);
  }

  private static OFFlowMod toMember(OFVersion version, @Nullable Label label) {
    Onward next =
        label == null ? Onward.to(MEMBER.at()) : Onward.by(label, OFPort.of(7), MEMBER.at());
    return onWire(BucketRules.toMember(tables(version), WEB, PORTS, 5, MEMBER, next));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void toBuckets_matchesOneNetwork_orAll(OFVersion version) {
    OFFlowMod all =
        onWire(BucketRules.toBuckets(factory(version), WEB, IPv4AddressWithMask.of("0.0.0.0/0")));
    OFFlowMod some =
        onWire(
            BucketRules.toBuckets(
                factory(version), NAMES, IPv4AddressWithMask.of("172.16.0.0/12")));

    assertAt(0, 48_550, all);
    assertEquals(IPV4 + "ip_proto=0x6 ipv4_dst=10.0.0.100 tcp_dst=80", match(all));
    assertEquals("table 1", does(all));
    assertEquals(
        IPV4 + "ip_proto=0x11 ipv4_src=172.16.0.0/255.240.0.0 ipv4_dst=10.0.0.100" + " udp_dst=53",
        match(some));
    assertTrue(Cookie.is(some.getCookie(), CookieKind.PROACTIVE));
    assertEquals(8, Cookie.vipNumber(some.getCookie()));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void toMember_byPort_translatesAndLabels(OFVersion version) {
    OFFlowMod rule = toMember(version, LABEL);

    assertAt(1, 106, rule);
    assertEquals(IPV4 + "ip_proto=0x6 ipv4_dst=10.0.0.100 tcp_src=10/126 tcp_dst=80", match(rule));
    assertEquals(
        "ipv4_dst=10.1.0.3, tcp_dst=8080, " + labelled(TO_MEMBER) + ", table 2", does(rule));
    assertEquals(
        Optional.of(new BucketCookie(7, 3, PORTS, 5, false)), BucketCookie.of(rule.getCookie()));
    assertEquals(Optional.of(LABEL), FoundRules.labelOf(found(factory(version), rule)));
    assertTrue(BucketRules.isOf(rule.getMatch(), WEB));
    assertFalse(BucketRules.isOf(rule.getMatch(), NAMES));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void toMember_onTheSameSwitch_hasNoLabel(OFVersion version) {
    OFFlowMod rule = toMember(version, null);

    assertEquals("ipv4_dst=10.1.0.3, tcp_dst=8080, eth_src=" + TO_MEMBER + ", table 3", does(rule));
    assertEquals(Optional.empty(), FoundRules.labelOf(found(factory(version), rule)));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void moving_byAddress_sendsAllToTheController(OFVersion version) {
    OFFlowMod rule = onWire(BucketRules.moving(tables(version), NAMES, ADDRESSES, 127, 65_535));

    assertAt(1, 107, rule);
    assertEquals(
        IPV4 + "ip_proto=0x11 ipv4_src=0.0.0.127/0.0.0.127 ipv4_dst=10.0.0.100 udp_dst=53",
        match(rule));
    assertEquals("to controller", does(rule));
    assertEquals(
        Optional.of(new BucketCookie(8, 65_535, ADDRESSES, 127, true)),
        BucketCookie.of(rule.getCookie()));
  }

  /** The more buckets, the higher: while they double, a packet finds the finer one. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void priority_growsWithTheNumberOfBuckets(OFVersion version) {
    int priority = 106;
    for (int count = BucketKey.MIN; count <= BucketKey.MAX; count *= 2) {
      BucketKey key = new BucketKey(BucketSource.PORT, count);
      assertAt(1, priority++, BucketRules.moving(tables(version), WEB, key, 0, 1));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void ends_areCopied_forSomeSeconds(OFVersion version) {
    List<OFFlowAdd> ends = BucketRules.ends(factory(version), WEB, PORTS, 63, 90);

    assertEquals(2, ends.size());
    for (OFFlowAdd sent : ends) {
      OFFlowMod rule = onWire(sent);
      assertAt(0, 48_560, rule);
      assertEquals(90, rule.getHardTimeout());
      assertEquals("to controller, table 1", does(rule));
      assertTrue(match(rule).contains("tcp_src=126/126"), match(rule));
      assertTrue(Cookie.is(rule.getCookie(), CookieKind.END));
    }
    assertTrue(match(onWire(ends.get(0))).contains("tcp_flags=0x0001/0x0001"), match(ends.get(0)));
    assertTrue(match(onWire(ends.get(1))).contains("tcp_flags=0x0004/0x0004"), match(ends.get(1)));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void membersAsClients_areBeforeBuckets(OFVersion version) {
    OFFlowMod member = onWire(BucketRules.memberAsClient(tables(version), WEB, MEMBER));

    assertAt(1, 200, member);
    assertEquals("to controller", does(member));
    assertEquals(
        IPV4 + "ip_proto=0x6 ipv4_src=10.1.0.3 ipv4_dst=10.0.0.100 tcp_dst=80", match(member));
    assertEquals(Optional.empty(), ReplyRules.countedBy(member.getCookie()));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void translate_givesRepliesTheVip_andCountsThem(OFVersion version) {
    for (Counted counted : Counted.values()) {
      OFFlowMod rule = onWire(ReplyRules.translate(factory(version), WEB, MEMBER, counted));

      assertAt(0, counted == Counted.ALL ? 48_900 : 48_910, rule);
      assertEquals("ipv4_src=10.0.0.100, tcp_src=80, table 1", does(rule));
      assertTrue(
          match(rule).startsWith(IPV4 + "ip_proto=0x6 ipv4_src=10.1.0.3 tcp_src=8080"),
          match(rule));
      assertEquals(Optional.of(counted), ReplyRules.countedBy(rule.getCookie()));
      assertEquals(3, Cookie.memberNumber(rule.getCookie()));
    }
    OFFlowMod opened = ReplyRules.translate(factory(version), WEB, MEMBER, Counted.OPENED);
    assertEquals(
        Packet.TCP_SYN | Packet.TCP_ACK,
        opened.getMatch().getMasked(MatchField.OVS_TCP_FLAGS).getMask().getValue());
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void probeAnswers_goToTheController_untranslated(OFVersion version) {
    OFFlowMod rule = onWire(ReplyRules.probeAnswers(factory(version), WEB, MEMBER));

    assertAt(0, 48_920, rule);
    assertEquals("to controller", does(rule));
    assertEquals(VIP, rule.getMatch().get(MatchField.IPV4_DST));
    assertEquals(Optional.empty(), ReplyRules.countedBy(rule.getCookie()));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void toNextHop_labelsTheRepliesThatMembersAddressToIt(OFVersion version) {
    OFFlowMod far = onWire(ReplyRules.toNextHop(tables(version), WEB, TO_FAR_HOP));
    OFFlowMod near = onWire(ReplyRules.toNextHop(tables(version), WEB, Onward.to(HOP)));

    assertAt(1, 500, far);
    assertEquals(
        "eth_dst=02:00:00:00:00:01 eth_type=0x800 ip_proto=0x6 ipv4_src=10.0.0.100 tcp_src=80",
        match(far));
    assertEquals(labelled(TO_HOP) + ", table 2", does(far));
    assertEquals("eth_src=" + TO_HOP + ", table 3", does(near));
    assertEquals(RuleKey.of(far), RuleKey.of(near));
    assertEquals(RuleKey.of(far), RuleKey.of(found(factory(version), far)));
  }

  /** A switch does not send packets back to where they come from, unless a rule says so. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void toNextHopFrom_thePortOfItsPath_sendsRepliesBack(OFVersion version) {
    OFFlowMod back =
        onWire(ReplyRules.toNextHopFrom(tables(version), WEB, TO_FAR_HOP, OFPort.of(7)));
    OFFlowMod far = onWire(ReplyRules.toNextHop(tables(version), WEB, TO_FAR_HOP));

    assertAt(1, 501, back);
    assertEquals("in_port=7 " + match(far), match(back));
    assertEquals(labelled(TO_HOP) + ", to in_port", does(back));
  }

  /** Inside the network, packets are untagged: tags are those of edges. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void vlans_areMatchedAndTakenOffAtTheEdges(OFVersion version) {
    OFFactory factory = factory(version);
    SwitchTables tables = tables(version);
    IPv4AddressWithMask all = IPv4AddressWithMask.of("0.0.0.0/0");
    OFFlowMod toBuckets = onWire(BucketRules.toBuckets(factory, TAGGED_WEB, all));
    OFFlowMod toMember =
        onWire(BucketRules.toMember(tables, TAGGED_WEB, PORTS, 5, MEMBER, TO_FAR_MEMBER));
    OFFlowMod moving = onWire(BucketRules.moving(tables, TAGGED_WEB, PORTS, 5, 1));
    OFFlowMod end = onWire(BucketRules.ends(factory, TAGGED_WEB, PORTS, 5, 90).get(0));
    OFFlowMod asClient = onWire(BucketRules.memberAsClient(tables, TAGGED_WEB, TAGGED_MEMBER));

    String tag = "vlan_vid=" + OFVlanVidMatch.ofVlan(100);
    for (OFFlowMod rule : List.of(toBuckets, toMember, moving, end, asClient)) {
      assertTrue(match(rule).contains(tag + " "), match(rule));
      assertTrue(BucketRules.isOf(rule.getMatch(), TAGGED_WEB));
    }
    assertEquals("table 1", does(toBuckets));
    assertEquals(
        "pop_vlan, ipv4_dst=10.1.0.3, tcp_dst=8080, " + labelled(TO_MEMBER) + ", table 2",
        does(toMember));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void repliesOfTaggedMember_areUntagged_whereTheyAreTranslated(OFVersion version) {
    OFFactory factory = factory(version);
    String tag = "vlan_vid=" + OFVlanVidMatch.ofVlan(200);
    for (Counted counted : Counted.values()) {
      OFFlowMod rule = onWire(ReplyRules.translate(factory, TAGGED_WEB, TAGGED_MEMBER, counted));
      assertTrue(match(rule).contains(tag + " "), match(rule));
      assertEquals("pop_vlan, ipv4_src=10.0.0.100, tcp_src=80, table 1", does(rule));
    }
    OFFlowMod probeAnswers = onWire(ReplyRules.probeAnswers(factory, TAGGED_WEB, TAGGED_MEMBER));
    assertTrue(match(probeAnswers).contains(tag + " "), match(probeAnswers));
    Onward next = Onward.by(LABEL, OFPort.of(7), TAGGED_HOP);
    OFFlowMod toNextHop = onWire(ReplyRules.toNextHop(tables(version), TAGGED_WEB, next));
    assertEquals(labelled(NextHopMac.of(TAGGED_HOP)) + ", table 2", does(toNextHop));
    assertFalse(match(toNextHop).contains("vlan_vid"), match(toNextHop));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void vlansInOneTable_areChangedByTheRuleThatDelivers(OFVersion version) {
    SwitchTables tables = one(version, TableLayout.ONE_TABLE);
    Onward toMember = Onward.to(TAGGED_MEMBER.at());
    OFFlowMod request =
        onWire(BucketRules.toMember(tables, TAGGED_WEB, PORTS, 5, TAGGED_MEMBER, toMember));
    OFFlowMod untagged =
        onWire(BucketRules.toMember(tables, WEB, PORTS, 5, TAGGED_MEMBER, toMember));
    Onward toHop = Onward.to(TAGGED_HOP);
    OFFlowMod reply = onWire(ReplyRules.translateTo(tables, TAGGED_WEB, TAGGED_MEMBER, toHop));

    String translated = "ipv4_dst=10.1.0.3, tcp_dst=8080, " + delivered(TAGGED_MEMBER.at());
    String port = ", to " + TAGGED_MEMBER.at().port();
    assertEquals("pop_vlan, " + translated + port, does(request));
    assertEquals(translated + port, does(untagged));
    assertEquals(
        "pop_vlan, ipv4_src=10.0.0.100, tcp_src=80, " + delivered(TAGGED_HOP) + ", to 4",
        does(reply));
    assertTrue(match(reply).contains("vlan_vid=" + OFVlanVidMatch.ofVlan(200)), match(reply));
    assertTrue(match(reply).contains("eth_dst=02:00:00:00:00:01"), match(reply));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void arpAnswer_isReadBackAsTheClient(OFVersion version) {
    MacAddress edge = EdgeMac.of(HOP.switchId());
    OFFlowMod rule =
        onWire(ReplyRules.arpAnswer(factory(version), VIP.getInt(), edge, CLIENT.getInt(), HOP));

    assertAt(0, 48_010, rule);
    ReplyRules.FoundClient client =
        ReplyRules.clientOf(found(factory(version), rule)).orElseThrow();
    assertEquals(VIP.getInt(), client.vip());
    assertEquals(CLIENT.getInt(), client.client());
    assertEquals(HOP, client.at(HOP.switchId()));
    OFFlowMod other = onWire(ReplyRules.toNextHop(tables(version), WEB, TO_FAR_HOP));
    assertEquals(Optional.empty(), ReplyRules.clientOf(found(factory(version), other)));
  }

  /** The answer keeps the tag of the question. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void arpAnswer_onAVlan_isReadBackAsTheNextHopOnIt(OFVersion version) {
    MacAddress edge = EdgeMac.of(HOP.switchId());
    OFFlowMod rule =
        onWire(
            ReplyRules.arpAnswer(
                factory(version), VIP.getInt(), edge, CLIENT.getInt(), TAGGED_HOP));

    ReplyRules.FoundClient client =
        ReplyRules.clientOf(found(factory(version), rule)).orElseThrow();
    assertEquals(TAGGED_HOP, client.at(HOP.switchId()));
    assertFalse(does(rule).contains("vlan"), does(rule));
    assertTrue(does(rule).startsWith("eth_src=" + edge + ", eth_dst=" + HOP.mac()), does(rule));
    assertTrue(does(rule).contains("arp_sha=" + edge), does(rule));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void ipv6_hasTheFieldsOfItsFamily(OFVersion version) {
    OFFactory factory = factory(version);
    SwitchTables tables = tables(version);
    OFFlowMod toBuckets =
        onWire(BucketRules.toBuckets(factory, WEB6, IPAddressWithMask.of("2001:db8::/32")));
    OFFlowMod fromAll = onWire(BucketRules.toBuckets(factory, WEB6, IpFamily.IPV6.ending(0, 0)));
    OFFlowMod byAddress = onWire(BucketRules.moving(tables, WEB6, ADDRESSES, 127, 1));
    OFFlowMod toMember =
        onWire(BucketRules.toMember(tables, WEB6, PORTS, 5, MEMBER6, TO_FAR_MEMBER));
    OFFlowMod memberAsClient = onWire(BucketRules.memberAsClient(tables, WEB6, MEMBER6));
    OFFlowMod translate = onWire(ReplyRules.translate(factory, WEB6, MEMBER6, Counted.ALL));
    OFFlowMod probeAnswers = onWire(ReplyRules.probeAnswers(factory, WEB6, MEMBER6));
    OFFlowMod toNextHop = onWire(ReplyRules.toNextHop(tables, WEB6, TO_FAR_HOP));

    String tcp = "eth_type=0x86dd vlan_vid=0x0 ip_proto=0x6 ";
    String toVip = " ipv6_dst=fd00::64";
    assertEquals(tcp + "tcp_dst=80 ipv6_src=2001:db8::/ffff:ffff::" + toVip, match(toBuckets));
    assertEquals(tcp + "tcp_dst=80" + toVip, match(fromAll));
    assertEquals(tcp + "tcp_dst=80 ipv6_src=::7f/::7f" + toVip, match(byAddress));
    assertEquals(tcp + "tcp_src=10/126 tcp_dst=80" + toVip, match(toMember));
    assertEquals(
        "ipv6_dst=fd00::3, tcp_dst=8080, " + labelled(TO_MEMBER) + ", table 2", does(toMember));
    assertEquals(tcp + "tcp_dst=80 ipv6_src=fd00::3" + toVip, match(memberAsClient));
    assertEquals(tcp + "tcp_src=8080 ipv6_src=fd00::3", match(translate));
    assertEquals("ipv6_src=fd00::64, tcp_src=80, table 1", does(translate));
    assertEquals(tcp + "tcp_src=8080 ipv6_src=fd00::3" + toVip, match(probeAnswers));
    assertEquals(
        "eth_dst=" + HOP.mac() + " eth_type=0x86dd ip_proto=0x6 tcp_src=80 ipv6_src=fd00::64",
        match(toNextHop));
    assertEquals(labelled(TO_HOP) + ", table 2", does(toNextHop));
    assertTrue(BucketRules.isOf(toMember.getMatch(), WEB6));
    assertFalse(BucketRules.isOf(toMember.getMatch(), WEB));
    for (OFFlowMod rule :
        List.of(toBuckets, byAddress, toMember, memberAsClient, translate, toNextHop)) {
      assertTrue(PARSER.parse(found(factory, rule)) instanceof FoundRule.Proactive);
    }
  }

  /** Reconciliation must not remove them as unreadable. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void rules_areKnownWhenTheyAreRead(OFVersion version) {
    OFFactory factory = factory(version);
    SwitchTables tables = tables(version);
    for (OFFlowMod rule :
        List.of(
            BucketRules.toMember(tables, WEB, PORTS, 5, MEMBER, TO_FAR_MEMBER),
            ReplyRules.toNextHop(tables, WEB, TO_FAR_HOP),
            BucketRules.memberAsClient(tables, WEB, MEMBER),
            ReplyRules.probeAnswers(factory, WEB, MEMBER))) {
      assertTrue(PARSER.parse(found(factory, rule)) instanceof FoundRule.Proactive);
    }
    OFFlowMod end = BucketRules.ends(factory, WEB, PORTS, 5, 90).get(0);
    assertFalse(PARSER.parse(found(factory, end)) instanceof FoundRule.Unreadable);
  }

  private static SwitchTables one(OFVersion version, TableLayout layout) {
    return new SwitchTables(factory(version), layout);
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void bucketInOneTable_namesItsGroupOrPort(OFVersion version) {
    Onward far = TO_FAR_MEMBER;
    SwitchTables groups = one(version, TableLayout.ONE_TABLE_WITH_GROUPS);
    SwitchTables ports = one(version, TableLayout.ONE_TABLE);
    OFFlowMod byGroup = onWire(BucketRules.toMember(groups, WEB, PORTS, 5, MEMBER, far));
    OFFlowMod byPort = onWire(BucketRules.toMember(ports, WEB, PORTS, 5, MEMBER, far));
    OFFlowMod near =
        onWire(BucketRules.toMember(groups, WEB, PORTS, 5, MEMBER, Onward.to(MEMBER.at())));

    assertAt(0, 48_106, byGroup);
    assertEquals(match(toMember(version, LABEL)), match(byGroup));
    String translated = "ipv4_dst=10.1.0.3, tcp_dst=8080, ";
    assertEquals(translated + labelled(TO_MEMBER) + ", group 4d00002a", does(byGroup));
    assertEquals(translated + labelled(TO_MEMBER) + ", to 7", does(byPort));
    assertEquals(translated + delivered(MEMBER.at()) + ", to " + MEMBER.at().port(), does(near));
    assertAt(
        0, 48_113, BucketRules.moving(ports, WEB, new BucketKey(BucketSource.PORT, 8_192), 0, 1));
  }

  /** Requests of connections are at 48400, and the VIP's address is at 48000. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void exceptionsInOneTable_areBetweenConnectionsAndBuckets(OFVersion version) {
    SwitchTables tables = one(version, TableLayout.ONE_TABLE);

    assertAt(0, 48_200, BucketRules.memberAsClient(tables, WEB, MEMBER));
    OFFlowMod fromPort = onWire(BucketRules.fromPort(tables, WEB, OFPort.of(3)));
    OFFlowMod fromOthers =
        onWire(BucketRules.fromOthers(tables, WEB, IPAddressWithMask.of("128.0.0.0/1")));

    assertAt(0, 48_200, fromPort);
    assertEquals(
        "in_port=3 " + IPV4 + "ip_proto=0x6 ipv4_dst=10.0.0.100 tcp_dst=80", match(fromPort));
    assertEquals("to controller", does(fromPort));
    assertAt(0, 48_200, fromOthers);
    assertEquals(
        IPV4 + "ip_proto=0x6 ipv4_src=128.0.0.0/128.0.0.0 ipv4_dst=10.0.0.100 tcp_dst=80",
        match(fromOthers));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void replyInOneTable_isTranslatedAndSentOnByOneRule(OFVersion version) {
    SwitchTables tables = one(version, TableLayout.ONE_TABLE_WITH_GROUPS);
    Onward back = Onward.by(LABEL, MEMBER.at().port(), HOP);
    OFFlowMod known = onWire(ReplyRules.translateTo(tables, WEB, MEMBER, TO_FAR_HOP));
    OFFlowMod others = onWire(ReplyRules.translateToController(factory(version), WEB, MEMBER));

    assertAt(0, 48_905, known);
    assertAt(0, 48_900, others);
    String translated = "ipv4_src=10.0.0.100, tcp_src=80, ";
    assertEquals(
        "eth_dst=02:00:00:00:00:01 " + IPV4 + "ip_proto=0x6 ipv4_src=10.1.0.3 tcp_src=8080",
        match(known));
    assertEquals(translated + labelled(TO_HOP) + ", group 4d00002a", does(known));
    assertEquals(
        translated + labelled(TO_HOP) + ", to in_port",
        does(onWire(ReplyRules.translateTo(tables, WEB, MEMBER, back))));
    assertEquals(translated + "to controller", does(others));
    assertEquals(Optional.empty(), ReplyRules.countedBy(known.getCookie()));
    assertEquals(Optional.empty(), ReplyRules.countedBy(others.getCookie()));
  }

  /** The rules of one layout are not taken for those of another. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void bucketOfAnotherLayout_isUnreadable(OFVersion version) {
    OFFactory factory = factory(version);
    FoundRules inOne = new FoundRules(TableLayout.ONE_TABLE, Map.of());
    SwitchTables one = one(version, TableLayout.ONE_TABLE);
    OFFlowMod ofOne = BucketRules.toMember(one, WEB, PORTS, 5, MEMBER, TO_FAR_MEMBER);
    OFFlowMod ofFour = BucketRules.toMember(tables(version), WEB, PORTS, 5, MEMBER, TO_FAR_MEMBER);

    assertTrue(inOne.parse(found(factory, ofOne)) instanceof FoundRule.Proactive);
    assertTrue(PARSER.parse(found(factory, ofFour)) instanceof FoundRule.Proactive);
    assertTrue(inOne.parse(found(factory, ofFour)) instanceof FoundRule.Unreadable);
    assertTrue(PARSER.parse(found(factory, ofOne)) instanceof FoundRule.Unreadable);
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void rulesInOneTable_readBackAsTheyWereMade(OFVersion version) {
    SwitchTables tables = one(version, TableLayout.ONE_TABLE);
    for (OFFlowMod rule :
        List.of(
            BucketRules.toMember(tables, WEB, PORTS, 5, MEMBER, TO_FAR_MEMBER),
            ReplyRules.translateTo(tables, WEB, MEMBER, TO_FAR_HOP),
            ReplyRules.translateToController(factory(version), WEB, MEMBER))) {
      assertEquals(rule.getInstructions(), onWire(rule).getInstructions());
    }
  }
}
