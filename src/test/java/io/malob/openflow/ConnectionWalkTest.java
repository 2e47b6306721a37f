package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.FakeNetwork;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import io.malob.testing.Topologies;
import io.malob.testing.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Walks packets through the rules of one connection: where they come out and how they look.
 * Switches stand in a row, 1 - 2 - … - n; the client is at 1, the member at n; port m of a switch
 * leads to switch m.
 */
@EachSwitchProfile
class ConnectionWalkTest {
  private static final OFFactory OF = FakeSwitches.FACTORY;
  private static final MacAddress CLIENT_MAC = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress MEMBER_MAC = MacAddress.of("02:00:00:00:00:0b");
  private static final IPv4Address CLIENT_IP = IPv4Address.of("10.0.0.1");
  private static final IPv4Address MEMBER_IP = IPv4Address.of("10.0.0.2");
  private static final IPv4Address OTHER_IP = IPv4Address.of("10.0.0.3");
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final DatapathId CLIENT_SWITCH = DatapathId.of(1);

  /** Of the VIP as the client knows it. */
  private static final MacAddress VIP_MAC = EdgeMac.of(CLIENT_SWITCH);

  private static final int CLIENT_PORT = 101;
  private static final int VIP_NUMBER = 7;
  private static final int MEMBER_NUMBER = 3;
  private static final byte[] DATA = {1, 2, 3};

  private enum Transport {
    TCP(6, 40_000, 80, 8_080),
    TCP_AT_HIGHEST_PORTS(6, 65_535, 65_534, 32_768),
    TCP_ON_THE_SAME_PORT(6, 1_024, 443, 443),
    UDP(17, 53_000, 53, 5_353),
    UDP_WITHOUT_CHECKSUM(17, 53_000, 53, 5_353),
    ICMP(1, 0, 0, 0),
    TCP_OF_IPV6(6, 40_000, 80, 8_080, true),
    TCP_OF_IPV6_ON_THE_SAME_PORT(6, 1_024, 443, 443, true),
    UDP_OF_IPV6(17, 53_000, 53, 5_353, true),
    ICMP_OF_IPV6(1, 0, 0, 0, true);

    private final int protocol;
    private final int clientPort;
    private final int vipPort;
    private final int memberPort;
    private final boolean isIpv6;

    Transport(int protocol, int clientPort, int vipPort, int memberPort) {
      this(protocol, clientPort, vipPort, memberPort, false);
    }

    Transport(int protocol, int clientPort, int vipPort, int memberPort, boolean isIpv6) {
      this.protocol = protocol;
      this.clientPort = clientPort;
      this.vipPort = vipPort;
      this.memberPort = memberPort;
      this.isIpv6 = isIpv6;
    }

    IPAddress<?> client() {
      return isIpv6 ? IPv6Address.of("2001:db8:1::1") : CLIENT_IP;
    }

    IPAddress<?> vip() {
      return isIpv6 ? IPv6Address.of("2001:db8::64") : VIP;
    }

    IPAddress<?> member() {
      return isIpv6 ? IPv6Address.of("fd00:a00:ffff::2") : MEMBER_IP;
    }

    /** With checksums that the builders of frames compute from nothing. */
    byte[] frame(
        MacAddress src, MacAddress dst, IPAddress<?> srcIp, int from, IPAddress<?> dstIp, int to) {
      boolean isReply = dst.equals(CLIENT_MAC);
      if (srcIp instanceof IPv6Address src6) {
        Ipv6Frames frames = new Ipv6Frames(src, dst, src6, (IPv6Address) dstIp);
        return switch (protocol) {
          case 6 -> frames.tcp(from, to, 0x10);
          case 17 -> frames.udp(from, to, DATA);
          default -> frames.icmp(isReply ? 129 : 128, 64, 0x10001, DATA);
        };
      }
      IPv4Address src4 = (IPv4Address) srcIp;
      IPv4Address dst4 = (IPv4Address) dstIp;
      return switch (protocol) {
        case 6 -> Frames.tcp(src, dst, src4, from, dst4, to, 0x10);
        case 17 -> udp(src, dst, src4, from, dst4, to);
        default -> Frames.echo(isReply ? 0 : 8, src, dst, src4, dst4, 0x10001);
      };
    }

    private byte[] udp(
        MacAddress src, MacAddress dst, IPv4Address srcIp, int from, IPv4Address dstIp, int to) {
      byte[] frame = Frames.udp(src, dst, srcIp, from, dstIp, to, DATA);
      return this == UDP_WITHOUT_CHECKSUM
          ? ByteBuffer.wrap(frame).putShort(14 + 20 + 6, (short) 0).array()
          : frame;
    }

    byte[] fromClient() {
      return frame(CLIENT_MAC, VIP_MAC, client(), clientPort, vip(), vipPort);
    }

    byte[] atMember(MacAddress src, MacAddress dst) {
      return frame(src, dst, client(), clientPort, member(), memberPort);
    }

    byte[] fromMember() {
      return frame(MEMBER_MAC, CLIENT_MAC, member(), memberPort, client(), clientPort);
    }

    byte[] atClient() {
      return frame(EdgeMac.of(CLIENT_SWITCH), CLIENT_MAC, vip(), vipPort, client(), clientPort);
    }

    FiveTuple request() {
      return FiveTuple.of(protocol, client(), clientPort, vip(), vipPort);
    }

    FiveTuple reply() {
      return FiveTuple.of(protocol, member(), memberPort, client(), clientPort);
    }
  }

  private final SwitchProfile profile;

  ConnectionWalkTest(SwitchProfile profile) {
    this.profile = profile;
  }

  /** A row of switches with one connection on it. */
  private final class Row {
    final FakeNetwork network = new FakeNetwork();
    final RuleCompiler compiler = new RuleCompiler(any -> profile.layout(), new LabelGroups());
    final Transport transport;
    final Attachment client;
    final Attachment member;
    final Translation request;
    final Translation reply;

    Row(int links, int memberPort, Transport transport, int clientVlan, int memberVlan) {
      this.transport = transport;
      network.setProfile(profile);
      long last = links + 1L;
      client = new Attachment(CLIENT_SWITCH, OFPort.of(CLIENT_PORT), CLIENT_MAC, clientVlan);
      member = new Attachment(DatapathId.of(last), OFPort.of(memberPort), MEMBER_MAC, memberVlan);
      FakeSwitches switches = new FakeSwitches(links + 1);
      LabelTable labels = new LabelTable(new RuleSender(switches), () -> 0L);
      long[] there = LongStream.rangeClosed(1, last).toArray();
      LabelledPath requestPath = labels.acquire(Topologies.path(there));
      LabelledPath replyPath =
          labels.acquire(
              Topologies.path(LongStream.rangeClosed(1, last).map(i -> last + 1 - i).toArray()));
      for (int id = 1; id <= last; id++) {
        DatapathId switchId = DatapathId.of(id);
        sendAll(switchId, SwitchRules.fixed(OF));
        sendAll(switchId, SwitchRules.addVip(OF, transport.vip()));
        sendAll(switchId, labels.rulesOf(switchId));
        if (id > 1) {
          network.connect(DatapathId.of(id - 1), id, switchId, id - 1);
        }
      }
      request =
          new Translation(
              transport.request(),
              transport.reply().reversed(),
              clientVlan,
              links == 0 ? null : requestPath.label(),
              member,
              out(requestPath.path(), client, member));
      reply =
          new Translation(
              transport.reply(),
              transport.request().reversed(),
              memberVlan,
              links == 0 ? null : replyPath.label(),
              client,
              out(replyPath.path(), member, client));
      sendAll(client.switchId(), HostRules.add(OF, client, 60));
      sendAll(member.switchId(), HostRules.add(OF, member, 60));
      send(
          member.switchId(),
          ConnectionRules.add(
              OF, reply, Cookie.of(CookieKind.REPLY, VIP_NUMBER, MEMBER_NUMBER, 1), 20, false));
      send(
          client.switchId(),
          ConnectionRules.add(
              OF, request, Cookie.of(CookieKind.REQUEST, VIP_NUMBER, MEMBER_NUMBER, 1), 15, true));
    }

    private static OFPort out(Path path, Attachment sender, Attachment receiver) {
      OFPort port = path.hops() == 0 ? receiver.port() : path.links().get(0).srcPort();
      return port.equals(sender.port()) ? OFPort.IN_PORT : port;
    }

    Row(int links, Transport transport) {
      this(links, 102, transport, 0, 0);
    }

    /** The request as its client makes it. */
    byte[] fromClient() {
      return tagged(transport.fromClient(), client);
    }

    /** The request as its member is to see it. */
    byte[] atMember() {
      byte[] frame = transport.atMember(EdgeMac.of(member.switchId()), MEMBER_MAC);
      return tagged(frame, member);
    }

    /** The reply as its member makes it. */
    byte[] fromMember() {
      return tagged(transport.fromMember(), member);
    }

    /** The reply as its client is to see it. */
    byte[] atClient() {
      return tagged(transport.atClient(), client);
    }

    private static byte[] tagged(byte[] frame, Attachment at) {
      return at.vlan() == 0 ? frame : Frames.tagged(frame, at.vlan());
    }

    private void sendAll(DatapathId switchId, List<OFMessage> messages) {
      compiler
          .compile(switchId, profile.layout(), OF, messages)
          .forEach(message -> assertEquals(List.of(), network.send(switchId, message)));
    }

    private void send(DatapathId switchId, OFMessage message) {
      sendAll(switchId, List.of(message));
    }

    private FakeRule rule(Attachment at, CookieKind kind) {
      return network.table(at.switchId()).rules().stream()
          .filter(rule -> Cookie.is(rule.cookie(), kind))
          .findFirst()
          .orElseThrow();
    }

    void assertIsDelivered() {
      assertDelivered(
          member,
          atMember(),
          network.send(member.switchId(), ConnectionRules.deliver(OF, request, fromClient())));
      assertDelivered(
          client,
          atClient(),
          network.send(client.switchId(), ConnectionRules.deliver(OF, reply, fromMember())));
    }

    void assertArrives() {
      assertDelivered(member, atMember(), fromClient(fromClient()));
      assertDelivered(client, atClient(), fromMember(fromMember()));
    }

    List<Delivery> fromClient(byte[] frame) {
      return network.inject(client.switchId(), client.port().getPortNumber(), frame);
    }

    List<Delivery> fromMember(byte[] frame) {
      return network.inject(member.switchId(), member.port().getPortNumber(), frame);
    }
  }

  private static void assertDelivered(Attachment at, byte[] frame, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size());
    assertEquals(at.switchId(), deliveries.get(0).switchId());
    assertEquals(at.port(), deliveries.get(0).port());
    assertArrayEquals(frame, deliveries.get(0).frame()); // built with checksums of its own
  }

  static Stream<Object[]> lengthsAndTransports() {
    return IntStream.of(0, 1, 2, 5)
        .boxed()
        .flatMap(links -> Stream.of(Transport.values()).map(kind -> new Object[] {links, kind}));
  }

  @ParameterizedTest
  @MethodSource("lengthsAndTransports")
  void packets_ofConnection_arriveTranslatedThereAndBack(int links, Transport transport) {
    Row row = new Row(links, transport);
    row.assertArrives();
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void packets_betweenHostsBehindOnePort_goBackOutOfIt(Transport transport) {
    Row row = new Row(0, CLIENT_PORT, transport, 0, 0);
    row.assertArrives();
  }

  @Test
  void packets_withVlanTag_areNotThoseOfUntaggedHosts() {
    Row row = new Row(2, Transport.TCP);
    byte[] request = Frames.tagged(Transport.TCP.fromClient(), 100);
    byte[] reply = Frames.tagged(Transport.TCP.fromMember(), 100);
    assertUntouchedAtController(request, row.fromClient(request));
    assertUntouchedAtController(reply, row.fromMember(reply));
  }

  static Stream<Object[]> vlans() {
    return Stream.of(new int[] {100, 0}, new int[] {0, 200}, new int[] {100, 200}, new int[] {7, 7})
        .flatMap(
            vlans ->
                IntStream.of(0, 1, 2)
                    .boxed()
                    .flatMap(
                        links ->
                            Stream.of(Transport.values())
                                .map(kind -> new Object[] {links, kind, vlans[0], vlans[1]})));
  }

  @ParameterizedTest
  @MethodSource("vlans")
  void packets_ofNextHopsOnVlans_arriveWithTheTagOfTheirReceiver(
      int links, Transport transport, int clientVlan, int memberVlan) {
    Row row = new Row(links, 102, transport, clientVlan, memberVlan);
    row.assertArrives();
    row.assertIsDelivered();
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void packets_betweenVlansOfOnePort_goBackOutOfItWithTheOtherTag(Transport transport) {
    new Row(0, CLIENT_PORT, transport, 100, 200).assertArrives();
  }

  /**
   * What they carry is seen where they get lost, because the receiver's switch does not know it.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void packets_betweenSwitches_haveLabelAndNumberOfNextHop_andNoTag(int links) {
    for (int vlan : new int[] {0, 100}) {
      Row row = new Row(links, 102, Transport.TCP, vlan, vlan);
      row.sendAll(row.member.switchId(), HostRules.remove(OF, row.member));
      row.sendAll(row.client.switchId(), HostRules.remove(OF, row.client));
      List<Delivery> request = row.fromClient(row.fromClient());
      List<Delivery> reply = row.fromMember(row.fromMember());

      Transport tcp = Transport.TCP;
      assertEquals(row.member.switchId(), request.get(0).switchId());
      assertUntouchedAtController(
          tcp.atMember(NextHopMac.of(row.member), row.request.label().mac()), request);
      assertEquals(row.client.switchId(), reply.get(0).switchId());
      assertUntouchedAtController(
          tcp.frame(NextHopMac.of(row.client), row.reply.label().mac(), VIP, 80, CLIENT_IP, 40_000),
          reply);
    }
  }

  /** The same addresses may be in use on several VLANs. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void packets_ofAnotherVlan_areNotTouched(int links) {
    Row row = new Row(links, 102, Transport.TCP, 100, 200);
    for (byte[] frame :
        List.of(Transport.TCP.fromClient(), Frames.tagged(Transport.TCP.fromClient(), 200))) {
      assertUntouchedAtController(frame, row.fromClient(frame));
    }
    for (byte[] frame :
        List.of(Transport.TCP.fromMember(), Frames.tagged(Transport.TCP.fromMember(), 100))) {
      assertUntouchedAtController(frame, row.fromMember(frame));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void removals_takeTheRulesOfTheirVlanAlone(int vlan) {
    Row row = new Row(1, 102, Transport.TCP, vlan, vlan);
    DatapathId memberSwitch = row.member.switchId();
    FiveTuple request = row.request.incoming();
    FiveTuple reply = row.reply.incoming();
    row.send(CLIENT_SWITCH, ConnectionRules.removeRequest(OF, request, 101));
    row.send(memberSwitch, ConnectionRules.removeReply(OF, reply, 101, null));
    row.send(memberSwitch, ConnectionRules.remove(OF, new FoundRule.Reply(found(row, 101, 1))));
    row.send(memberSwitch, ConnectionRules.remove(OF, new FoundRule.Reply(found(row, vlan, 2))));
    row.assertArrives();

    row.send(CLIENT_SWITCH, ConnectionRules.removeRequest(OF, request, vlan));
    row.send(memberSwitch, ConnectionRules.removeReply(OF, reply, vlan, null));

    assertUntouchedAtController(row.fromClient(), row.fromClient(row.fromClient()));
    assertUntouchedAtController(row.fromMember(), row.fromMember(row.fromMember()));
    Row other = new Row(1, 102, Transport.TCP, vlan, vlan);
    other.send(
        memberSwitch, ConnectionRules.remove(OF, new FoundRule.Reply(found(other, vlan, 1))));
    assertUntouchedAtController(other.fromMember(), other.fromMember(other.fromMember()));
  }

  private static FoundRule.Direction found(Row row, int vlan, int generation) {
    return new FoundRule.Direction(
        row.reply.incoming(),
        row.reply.outgoing(),
        vlan,
        false,
        null,
        NextHopMac.of(row.client),
        Optional.of(row.reply.label()),
        Optional.empty(),
        VIP_NUMBER,
        MEMBER_NUMBER,
        generation);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void closed_isBeforeTheRuleOfItsVlan_andSendsItsPacketsToTheController(int vlan) {
    Row row = new Row(1, 102, Transport.TCP, vlan, vlan);
    DatapathId memberSwitch = row.member.switchId();
    int before = row.network.table(memberSwitch).rules().size();

    row.send(memberSwitch, ConnectionRules.closed(OF, row.reply.incoming(), vlan, 5));

    assertEquals(before + 1, row.network.table(memberSwitch).rules().size());
    assertUntouchedAtController(row.fromMember(), row.fromMember(row.fromMember()));
    row.send(memberSwitch, ConnectionRules.removeClosed(OF, row.reply.incoming(), vlan));
    assertEquals(before, row.network.table(memberSwitch).rules().size());
  }

  /** Floodlight's load balancer took all traffic of a client, whatever it was for. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5})
  void packets_ofClientToOtherAddressOrPort_areNotTouched(int links) {
    Transport tcp = Transport.TCP;
    Row row = new Row(links, tcp);
    List<byte[]> others =
        List.of(
            tcp.frame(CLIENT_MAC, MEMBER_MAC, CLIENT_IP, 40_000, OTHER_IP, 80),
            tcp.frame(CLIENT_MAC, MEMBER_MAC, CLIENT_IP, 40_000, MEMBER_IP, 80),
            tcp.frame(CLIENT_MAC, MEMBER_MAC, CLIENT_IP, 40_000, MEMBER_IP, 8_080),
            tcp.frame(CLIENT_MAC, VIP_MAC, CLIENT_IP, 40_000, VIP, 81),
            tcp.frame(CLIENT_MAC, VIP_MAC, CLIENT_IP, 40_001, VIP, 80),
            Transport.UDP.frame(CLIENT_MAC, VIP_MAC, CLIENT_IP, 40_000, VIP, 80),
            Transport.ICMP.frame(CLIENT_MAC, VIP_MAC, CLIENT_IP, 0, VIP, 0));
    for (byte[] frame : others) {
      assertUntouchedAtController(frame, row.fromClient(frame));
    }
    List<byte[]> fromMember =
        List.of(
            tcp.frame(MEMBER_MAC, CLIENT_MAC, MEMBER_IP, 8_081, CLIENT_IP, 40_000),
            tcp.frame(MEMBER_MAC, CLIENT_MAC, MEMBER_IP, 8_080, CLIENT_IP, 40_001),
            tcp.frame(MEMBER_MAC, CLIENT_MAC, MEMBER_IP, 8_080, OTHER_IP, 40_000),
            Transport.ICMP.fromMember());
    for (byte[] frame : fromMember) {
      assertUntouchedAtController(frame, row.fromMember(frame));
    }
  }

  private static void assertUntouchedAtController(byte[] frame, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size());
    assertEquals(OFPort.CONTROLLER, deliveries.get(0).port());
    assertArrayEquals(frame, deliveries.get(0).frame());
  }

  /**
   * A member's packet that is under way to a client crosses the client's switch, where another
   * connection may have just that five-tuple: it carries a label and stays as it is.
   */
  @Test
  void packets_withLabel_areNeverTranslatedAgain() {
    Row row = new Row(2, Transport.TCP);
    MacAddress requestLabel = row.request.label().mac();
    MacAddress replyLabel = row.reply.label().mac();
    Transport tcp = Transport.TCP;
    byte[] toNobody = tcp.frame(CLIENT_MAC, requestLabel, CLIENT_IP, 40_000, VIP, 80);
    List<Delivery> atMemberSwitch = row.fromClient(toNobody);
    assertUntouchedAtController(toNobody, atMemberSwitch); // it has no such next hop
    assertEquals(row.member.switchId(), atMemberSwitch.get(0).switchId());
    MacAddress member = NextHopMac.of(row.member);
    byte[] labelledRequest = tcp.frame(member, requestLabel, CLIENT_IP, 40_000, VIP, 80);
    MacAddress atMember = EdgeMac.of(row.member.switchId());
    assertDelivered(
        row.member,
        tcp.frame(atMember, MEMBER_MAC, CLIENT_IP, 40_000, VIP, 80),
        row.fromClient(labelledRequest));
    MacAddress client = NextHopMac.of(row.client);
    byte[] labelledReply = tcp.frame(client, replyLabel, MEMBER_IP, 8_080, CLIENT_IP, 40_000);
    assertDelivered(
        row.client,
        tcp.frame(EdgeMac.of(CLIENT_SWITCH), CLIENT_MAC, MEMBER_IP, 8_080, CLIENT_IP, 40_000),
        row.fromMember(labelledReply));
  }

  @Test
  void packets_withUnknownLabel_goToControllerWithIt() {
    Row row = new Row(1, Transport.TCP);
    byte[] lost =
        Frames.tcp(
            CLIENT_MAC, MacAddress.of("0a:4d:4c:ff:ff:ff"), CLIENT_IP, 1, MEMBER_IP, 2, 0x10);
    assertUntouchedAtController(lost, row.fromClient(lost));
  }

  @Test
  void arp_forVip_goesToController() {
    Row row = new Row(1, Transport.TCP);
    byte[] request = Frames.arpRequest(CLIENT_MAC, CLIENT_IP, VIP);
    assertUntouchedAtController(request, row.fromClient(request));
    row.network.table(CLIENT_SWITCH).rules(0).stream()
        .filter(rule -> rule.priority() == FlowLayout.PRIORITY_VIP_NEIGHBOURS)
        .forEach(rule -> assertEquals(true, Cookie.is(rule.cookie(), CookieKind.VIP)));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void deliver_packet_comesOutTranslatedAtReceiver(Transport transport) {
    Row row = new Row(1, transport);
    row.assertIsDelivered();
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void tupleOf_matchOfRule_isItsConnection(Transport transport) {
    Row row = new Row(1, transport);
    OFFlowMod request =
        (OFFlowMod)
            Wire.readBack(
                ConnectionRules.add(
                    OF, row.request, Cookie.of(CookieKind.REQUEST, 1, 1, 1), 1, true));
    assertEquals(transport.request(), ConnectionRules.tupleOf(request.getMatch()));
  }

  @Test
  void rules_ofConnection_sayWhoseTheyAreAndWhenTheyEnd() {
    Row row = new Row(2, Transport.TCP);
    FakeRule request = row.rule(row.client, CookieKind.REQUEST);
    assertEquals(15, request.idleTimeout());
    assertEquals(0, request.hardTimeout());
    assertEquals(java.util.Set.of(OFFlowModFlags.SEND_FLOW_REM), request.flags());
    assertEquals(Cookie.of(CookieKind.REQUEST, VIP_NUMBER, MEMBER_NUMBER, 1), request.cookie());
    FakeRule reply = row.rule(row.member, CookieKind.REPLY);
    assertEquals(20, reply.idleTimeout());
    assertEquals(java.util.Set.of(), reply.flags());
    assertEquals(Cookie.of(CookieKind.REPLY, VIP_NUMBER, MEMBER_NUMBER, 1), reply.cookie());
  }

  @Test
  void relabelledRule_leadsByTheNewLabelAndKeepsAllElse() {
    Row row = new Row(2, Transport.TCP);
    io.malob.openflow.label.Label other = new io.malob.openflow.label.Label(77);
    Translation request =
        new Translation(
            row.request.incoming(),
            row.request.outgoing(),
            0,
            other,
            row.request.receiver(),
            row.request.out());
    if (profile == SwitchProfile.ONE_TABLE_WITH_GROUPS) {
      OFMessage unused = OF.buildFlowAdd().build();
      row.network.send(
          CLIENT_SWITCH,
          row.compiler
              .groups()
              .lead(OF, CLIENT_SWITCH, other.id(), row.request.out(), unused)
              .get(0));
    }
    FakeRule before = row.rule(row.client, CookieKind.REQUEST);
    row.send(
        CLIENT_SWITCH,
        ConnectionRules.relabel(
            OF, request, Cookie.of(CookieKind.REQUEST, VIP_NUMBER, MEMBER_NUMBER, 2)));
    assertEquals(before, row.rule(row.client, CookieKind.REQUEST)); // another generation

    row.send(
        CLIENT_SWITCH,
        ConnectionRules.relabel(
            OF, request, Cookie.of(CookieKind.REQUEST, VIP_NUMBER, MEMBER_NUMBER, 1)));

    FakeRule after = row.rule(row.client, CookieKind.REQUEST);
    assertEquals(before.cookie(), after.cookie());
    assertEquals(before.idleTimeout(), after.idleTimeout());
    assertEquals(before.flags(), after.flags());
    byte[] lost = row.fromClient(Transport.TCP.fromClient()).get(0).frame();
    assertEquals(other.mac(), io.malob.openflow.packet.Packet.parse(lost).dstMac());
  }

  @Test
  void relabelOfARuleThatIsGone_addsNone() {
    Row row = new Row(2, Transport.TCP);
    DatapathId memberSwitch = row.member.switchId();
    row.send(memberSwitch, ConnectionRules.removeReply(OF, row.reply.incoming(), 0, null));
    int rules = row.network.table(memberSwitch).rules().size();
    row.send(
        memberSwitch,
        ConnectionRules.relabel(
            OF, row.reply, Cookie.of(CookieKind.REPLY, VIP_NUMBER, MEMBER_NUMBER, 1)));
    assertEquals(rules, row.network.table(memberSwitch).rules().size());
  }

  @Test
  void replyRule_thatIsLearntFrom_tellsItsEnd() {
    Row row = new Row(1, Transport.TCP);
    OFFlowMod reply =
        (OFFlowMod)
            Wire.readBack(
                ConnectionRules.add(OF, row.reply, Cookie.of(CookieKind.REPLY, 1, 2, 3), 20, true));
    assertEquals(java.util.Set.of(OFFlowModFlags.SEND_FLOW_REM), reply.getFlags());
  }

  @Test
  void connection_overFiveLinks_costsTwoRules() {
    Row row = new Row(5, Transport.TCP);
    long ofConnection =
        LongStream.rangeClosed(1, 6)
            .mapToObj(id -> row.network.table(DatapathId.of(id)).rules())
            .flatMap(List::stream)
            .filter(
                rule ->
                    Cookie.is(rule.cookie(), CookieKind.REQUEST)
                        || Cookie.is(rule.cookie(), CookieKind.REPLY))
            .count();
    assertEquals(2, ofConnection);
  }

  @Test
  void removeRequests_ofVipOrMember_leavesEverythingElse() {
    for (boolean ofVip : new boolean[] {true, false}) {
      for (int off : new int[] {0, 1}) {
        Row row = new Row(2, Transport.TCP);
        OFMessage removal =
            ofVip
                ? SwitchRules.removeRequestsOfVip(OF, VIP_NUMBER + off)
                : SwitchRules.removeRequestsOfMember(OF, MEMBER_NUMBER + off);
        for (DatapathId switchId : List.of(CLIENT_SWITCH, row.member.switchId())) {
          int before = row.network.table(switchId).rules().size();
          row.network.send(switchId, removal);
          boolean goes = off == 0 && switchId.equals(CLIENT_SWITCH);
          assertEquals(before - (goes ? 1 : 0), row.network.table(switchId).rules().size());
        }
      }
    }
  }

  @Test
  void removeVip_takesItsRulesAway() {
    Row row = new Row(1, Transport.TCP);
    int before = row.network.table(CLIENT_SWITCH).rules().size();
    row.sendAll(CLIENT_SWITCH, SwitchRules.removeVip(OF, OTHER_IP));
    assertEquals(before, row.network.table(CLIENT_SWITCH).rules().size());
    row.sendAll(CLIENT_SWITCH, SwitchRules.removeVip(OF, VIP));
    assertEquals(before - 5, row.network.table(CLIENT_SWITCH).rules().size());
  }

  @Test
  void reset_ofSwitch_leavesTheFixedRulesAndOtherApplications() {
    Row row = new Row(1, Transport.TCP);
    OFMessage foreign = OF.buildFlowAdd().setPriority(1).setTableId(FlowLayout.CLASSIFY).build();
    row.network.send(CLIENT_SWITCH, foreign);
    row.sendAll(CLIENT_SWITCH, SwitchRules.addVip(OF, VIP));
    row.sendAll(CLIENT_SWITCH, SwitchRules.removeAll(OF));
    row.sendAll(CLIENT_SWITCH, SwitchRules.fixed(OF));
    List<FakeRule> left =
        row.network.table(CLIENT_SWITCH).rules().stream()
            .filter(rule -> !Cookie.is(rule.cookie(), CookieKind.SWITCH))
            .toList();
    assertEquals(List.of(1), left.stream().map(FakeRule::priority).toList());
  }

  /** What only the wire shows: that a message can be written in that version at all. */
  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void messages_ofEveryVersion_canBeWrittenAndReadBack(OFVersion version) {
    OFFactory factory = OFFactories.getFactory(version);
    Row row = new Row(1, Transport.TCP);
    List<OFMessage> messages = new ArrayList<>();
    messages.addAll(SwitchRules.removeAll(factory));
    messages.addAll(SwitchRules.fixed(factory));
    messages.addAll(SwitchRules.addVip(factory, VIP));
    messages.addAll(SwitchRules.removeVip(factory, VIP));
    messages.addAll(HostRules.add(factory, row.client, 60));
    messages.add(
        ConnectionRules.add(
            factory, row.request, Cookie.of(CookieKind.REQUEST, 1, 1, 1), 15, true));
    messages.add(
        ConnectionRules.add(factory, row.reply, Cookie.of(CookieKind.REPLY, 1, 1, 1), 20, true));
    messages.add(ConnectionRules.deliver(factory, row.request, Transport.TCP.fromClient()));
    Row tagged = new Row(1, 102, Transport.TCP_OF_IPV6, 100, 200);
    messages.addAll(HostRules.add(factory, tagged.client, 60));
    messages.addAll(HostRules.remove(factory, tagged.client));
    messages.add(
        ConnectionRules.add(
            factory, tagged.request, Cookie.of(CookieKind.REQUEST, 1, 1, 1), 15, true));
    messages.add(ConnectionRules.deliver(factory, tagged.request, tagged.fromClient()));
    FiveTuple request = tagged.request.incoming();
    messages.add(ConnectionRules.removeRequest(factory, request, 100));
    messages.add(ConnectionRules.removeReply(factory, tagged.reply.incoming(), 200, null));
    messages.add(ConnectionRules.closed(factory, request, 100, 5));
    messages.add(SwitchRules.removeRequestsOfVip(factory, 1));
    messages.add(SwitchRules.removeRequestsOfMember(factory, 1));
    for (OFMessage message : messages) {
      OFMessage read = Wire.readBack(message);
      assertEquals(message.getType(), read.getType());
      assertEquals(version, read.getVersion());
      assertEquals(message.getXid(), read.getXid());
    }
  }

  @Test
  void deliver_asPacketOut_comesFromTheController() {
    Row row = new Row(1, Transport.TCP);
    OFPacketOut message =
        (OFPacketOut)
            Wire.readBack(ConnectionRules.deliver(OF, row.request, Transport.TCP.fromClient()));
    assertEquals(OFPort.CONTROLLER, message.getInPort());
    List<Output> outputs = row.network.table(row.member.switchId()).apply(message);
    assertEquals(1, outputs.size());
  }
}
