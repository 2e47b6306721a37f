package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.Attachment;
import io.malob.testing.FakeNetwork;
import io.malob.testing.Ipv6Frames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U8;

class IpFamilyTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final IPv4Address IPV4 = IPv4Address.of("10.0.0.100");
  private static final IPv6Address IPV6 = IPv6Address.of("2001:db8::64");

  @Test
  void rulesOfVip_ofEitherFamily_matchItsTrafficAndWhatAsksForIt() {
    assertEquals(
        List.of(
            ipv4(IPV4),
            FACTORY
                .buildMatch()
                .setExact(MatchField.ETH_TYPE, EthType.ARP)
                .setExact(MatchField.ARP_TPA, IPV4)
                .build(),
            icmp(3),
            icmp(11),
            icmp(12)),
        matches(SwitchRules.addVip(FACTORY, IPV4)));
    assertEquals(
        List.of(
            ipv6(IPV6),
            FACTORY
                .buildMatch()
                .setExact(MatchField.ETH_TYPE, EthType.IPv6)
                .setExact(MatchField.IP_PROTO, IpProtocol.IPv6_ICMP)
                .setExact(MatchField.ICMPV6_TYPE, U8.of((short) 135))
                .setExact(MatchField.IPV6_ND_TARGET, IPV6)
                .build(),
            FACTORY
                .buildMatch()
                .setExact(MatchField.ETH_TYPE, EthType.IPv6)
                .setExact(MatchField.IPV6_DST, IPV6)
                .setExact(MatchField.IP_PROTO, IpProtocol.IPv6_ICMP)
                .setExact(MatchField.ICMPV6_TYPE, U8.of((short) 136))
                .build(),
            icmpV6(1),
            icmpV6(2),
            icmpV6(3),
            icmpV6(4)),
        matches(SwitchRules.addVip(FACTORY, IPV6)));
  }

  private static Match icmp(int type) {
    return FACTORY
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv4)
        .setExact(MatchField.IPV4_DST, IPV4)
        .setExact(MatchField.IP_PROTO, IpProtocol.ICMP)
        .setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.of((short) type))
        .build();
  }

  private static Match icmpV6(int type) {
    return FACTORY
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv6)
        .setExact(MatchField.IPV6_DST, IPV6)
        .setExact(MatchField.IP_PROTO, IpProtocol.IPv6_ICMP)
        .setExact(MatchField.ICMPV6_TYPE, U8.of((short) type))
        .build();
  }

  @Test
  void neighbourMessagesToAVip_areNoTraffic_andGoToTheControllerAtOnce() {
    DatapathId switchId = DatapathId.of(1);
    FakeNetwork network = new FakeNetwork();
    List<TableId> tables = new ArrayList<>();
    network.setController((id, port, output) -> tables.add(output.table()));
    SwitchRules.fixed(FACTORY).forEach(rule -> network.send(switchId, rule));
    SwitchRules.addVip(FACTORY, IPV6).forEach(rule -> network.send(switchId, rule));
    IPv6Address host = IPv6Address.of("2001:db8::1");
    MacAddress mac = MacAddress.of("02:00:00:00:00:01");
    Ipv6Frames toVip = new Ipv6Frames(mac, MacAddress.of("0e:4e:00:00:00:01"), host, IPV6);
    Ipv6Frames toGroup =
        new Ipv6Frames(
            mac, MacAddress.of("33:33:ff:00:00:64"), host, IPv6Address.of("ff02::1:ff00:64"));
    network.inject(switchId, 1, toVip.solicitation(IPV6));
    network.inject(switchId, 1, toGroup.solicitation(IPV6));
    network.inject(switchId, 1, toVip.advertisement(host, mac));
    assertEquals(Collections.nCopies(3, FlowLayout.CLASSIFY), tables);
    network.inject(switchId, 1, toVip.icmp(128, 64, 1, new byte[8]));
    assertEquals(FlowLayout.REQUESTS, tables.get(3));
    SwitchRules.removeVip(FACTORY, IPV6).forEach(rule -> network.send(switchId, rule));
    assertEquals(
        0,
        network.table(switchId).rules(0).stream()
            .filter(rule -> rule.priority() / 1_000 == 48)
            .count());
  }

  @Test
  void floodOfNeighbourMessages_isDroppedByItsKind_andLeavesTheOtherKind() {
    DatapathId switchId = DatapathId.of(1);
    FakeNetwork network = new FakeNetwork();
    List<byte[]> arrived = new ArrayList<>();
    network.setController((id, port, output) -> arrived.add(output.frame()));
    SwitchRules.addVip(FACTORY, IPV6).forEach(rule -> network.send(switchId, rule));
    IPv6Address host = IPv6Address.of("2001:db8::1");
    MacAddress mac = MacAddress.of("02:00:00:00:00:01");
    Ipv6Frames toVip = new Ipv6Frames(mac, MacAddress.of("0e:4e:00:00:00:01"), host, IPV6);
    byte[] question = toVip.solicitation(IPV6);
    byte[] answer = toVip.advertisement(host, mac);
    network.send(switchId, flood(question));
    network.inject(switchId, 1, question);
    assertEquals(0, arrived.size());
    network.inject(switchId, 2, question);
    network.inject(switchId, 1, answer);
    assertEquals(2, arrived.size());
    network.send(switchId, flood(answer));
    network.inject(switchId, 1, answer);
    assertEquals(2, arrived.size());
  }

  private static OFMessage flood(byte[] frame) {
    OFPacketIn packetIn =
        FACTORY
            .buildPacketIn()
            .setReason(OFPacketInReason.ACTION)
            .setTableId(FlowLayout.CLASSIFY)
            .setCookie(Cookie.of(CookieKind.VIP, 0))
            .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(1)).build())
            .setData(frame)
            .build();
    return FloodRules.against(FACTORY, packetIn, 5).orElseThrow();
  }

  /** They are the same for both families: the number of the next hop is all they match. */
  @Test
  void rulesOfHost_matchItsNumber_ofEitherFamily() {
    Attachment at = new Attachment(DatapathId.of(1), OFPort.of(2), MacAddress.of(3));
    MacAddress mask = MacAddress.of("00:3f:ff:ff:ff:ff");
    MacAddress number = MacAddress.of(NextHopMac.of(at).getLong() & mask.getLong());
    assertEquals(
        List.of(
            FACTORY.buildMatch().setMasked(MatchField.ETH_SRC, number, mask).build(),
            FACTORY
                .buildMatch()
                .setMasked(MatchField.ETH_SRC, number, mask)
                .setExact(MatchField.IN_PORT, OFPort.of(2))
                .build()),
        matches(HostRules.add(FACTORY, at, 60)));
  }

  @Test
  void rulesOfProbes_ofEitherFamily_matchBothAddresses() {
    IPv6Address node = IPv6Address.of("2001:db8::1");
    ProbeRule.Flow flow = new ProbeRule.Flow(node, IPV6, true);
    Match match = matches(new ProbeRule(flow, 5_201, OFPort.of(1)).add(FACTORY)).get(0);
    assertEquals(
        FACTORY
            .buildMatch()
            .setExact(MatchField.ETH_TYPE, EthType.IPv6)
            .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
            .setExact(MatchField.IPV6_SRC, node)
            .setExact(MatchField.IPV6_DST, IPV6)
            .setExact(MatchField.TCP_DST, TransportPort.of(5_201))
            .build(),
        match);
    assertEquals(node, IpFamily.source(match));
    assertEquals(IPV6, IpFamily.destination(match));
  }

  private static Match ipv4(IPv4Address address) {
    return FACTORY
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv4)
        .setExact(MatchField.IPV4_DST, address)
        .build();
  }

  private static Match ipv6(IPv6Address address) {
    return FACTORY
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv6)
        .setExact(MatchField.IPV6_DST, address)
        .build();
  }

  private static List<Match> matches(List<OFMessage> rules) {
    return rules.stream().map(rule -> ((OFFlowMod) rule).getMatch()).collect(Collectors.toList());
  }
}
