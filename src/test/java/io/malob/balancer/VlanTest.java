package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.algorithm.health.Health;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.VlanTag;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A client and a member, each tagged or not, of one subnet.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member
 * </pre>
 */
class VlanTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = network();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  VlanTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
  }

  private static String vlanText(int vlan) {
    return vlan == 0 ? null : "" + vlan;
  }

  /** A VIP in the client's VLAN. */
  private void service(int clientVlan, int memberVlan) {
    service(net, clientVlan, memberVlan);
  }

  private void service(BalancerNetwork net, int clientVlan, int memberVlan) {
    net.create(
        Catalog.VIPS,
        "id",
        "v",
        "protocol",
        "tcp",
        "address",
        VIP.toString(),
        "port",
        "80",
        "vlan",
        vlanText(clientVlan));
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    net.create(
        Catalog.MEMBERS,
        "id",
        "m",
        "address",
        member.address().toString(),
        "pool_id",
        "p",
        "vlan",
        vlanText(memberVlan));
  }

  private static byte[] in(int vlan, byte[] frame) {
    return vlan == 0 ? frame : Frames.tagged(frame, vlan);
  }

  private byte[] fromClient(int flags) {
    return Frames.tcp(client.mac(), EdgeMac.of(s1), client.ip(), 40_000, VIP, 80, flags);
  }

  private byte[] fromMember() {
    return Frames.tcp(
        member.mac(),
        client.mac(),
        member.ip(),
        80,
        client.ip(),
        40_000,
        Packet.TCP_SYN | Packet.TCP_ACK);
  }

  private static Packet only(List<Delivery> deliveries, Host at) {
    assertEquals(1, deliveries.size(), deliveries.toString());
    assertEquals(at.switchId(), deliveries.get(0).switchId());
    assertEquals(at.port(), deliveries.get(0).port().getPortNumber());
    return Packet.parse(deliveries.get(0).frame());
  }

  private static void checkTag(int vlan, Packet packet) {
    assertEquals(vlan, packet.vlan());
    assertEquals(vlan != 0, packet.isTagged());
  }

  @Test
  void packets_haveTheTagOfTheirReceiver() {
    for (int[] vlans : new int[][] {{100, 100}, {100, 0}, {0, 100}, {100, 200}}) {
      service(vlans[0], vlans[1]);
      net.learn(client, vlans[0]);
      net.learn(member, vlans[1]);
      for (int flags : new int[] {Packet.TCP_SYN, Packet.TCP_ACK}) {
        Packet request = only(net.send(client, in(vlans[0], fromClient(flags))), member);
        checkTag(vlans[1], request);
        assertEquals(member.ip(), request.destination());
        assertEquals(member.mac(), request.dstMac());
        Packet reply = only(net.send(member, in(vlans[1], fromMember())), client);
        checkTag(vlans[0], reply);
        assertEquals(VIP, reply.source());
        assertEquals(client.mac(), reply.dstMac());
      }
      net.delete(Catalog.MEMBERS, "m");
      net.delete(Catalog.POOLS, "p");
      net.delete(Catalog.VIPS, "v");
    }
    assertEquals(List.of(), net.network.refusals());
  }

  @Test
  void client_isServedInTheVlanOfTheVipOnly() {
    service(100, 0);
    net.learn(member);
    for (int vlan : new int[] {0, 200}) {
      assertEquals(List.of(), net.send(client, in(vlan, fromClient(Packet.TCP_SYN))));
    }
    assertEquals(2, net.passedOn.size());
    net.change(Catalog.VIPS, "v", "vlan", null);
    assertEquals(List.of(), net.send(client, in(100, fromClient(Packet.TCP_SYN))));
    assertEquals(3, net.passedOn.size());
    only(net.send(client, fromClient(Packet.TCP_SYN)), member);
  }

  @Test
  void rejects_areTagged() {
    service(100, 0);
    Packet reset = only(net.send(client, in(100, fromClient(Packet.TCP_ACK))), client);
    checkTag(100, reset);
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
  }

  @Test
  void doubleTaggedPackets_areRefusedByName() {
    service(100, 0);
    byte[] arp = Frames.arpRequest(client.mac(), client.ip(), VIP);
    for (byte[] frame : List.of(fromClient(Packet.TCP_SYN), arp)) {
      net.repeatPacketIn(client, in(100, in(7, frame)));
    }
    assertEquals(List.of(), net.delivered);
    assertEquals(2, net.refused(RejectReason.DOUBLE_TAGGED));
  }

  @Test
  void vip_isAnsweredInItsVlanOnly_tagged() {
    service(100, 0);
    byte[] question = Frames.arpRequest(client.mac(), client.ip(), VIP);
    Packet answer = only(net.send(client, in(100, question)), client);
    checkTag(100, answer);
    assertEquals(EdgeMac.of(s1), answer.arpSenderMac());
    assertEquals(List.of(), net.send(client, question));
    assertEquals(List.of(), net.send(client, in(200, question)));
    assertEquals(2, net.passedOn.size());
  }

  @Test
  void announcements_areTagged() {
    net.delivered.clear();
    service(100, 0);
    net.pass(1);
    List<Packet> announced =
        net.delivered.stream()
            .map(each -> Packet.parse(each.frame()))
            .filter(each -> each.kind() == Packet.Kind.ARP && each.source().equals(VIP))
            .filter(each -> each.destination().equals(VIP))
            .toList();
    assertTrue(!announced.isEmpty());
    announced.forEach(each -> checkTag(100, each));
  }

  @Test
  void silentMember_isAskedForInItsVlan() {
    net.delivered.clear();
    service(0, 200);
    List<Packet> questions =
        net.delivered.stream()
            .map(each -> Packet.parse(each.frame()))
            .filter(each -> each.destination().equals(member.ip()))
            .toList();
    assertTrue(!questions.isEmpty());
    questions.forEach(each -> checkTag(200, each));
  }

  @Test
  void member_isLocatedInItsVlanOnly() {
    service(0, 200);
    net.learn(member);
    assertEquals(false, net.stats("m").located());
    net.learn(member, 200);
    assertEquals(true, net.stats("m").located());
  }

  @Test
  void checksOfMembers_areTagged_andSoAreTheirAnswers() {
    for (int[] vlans : new int[][] {{100, 100}, {100, 0}, {0, 100}, {100, 200}}) {
      service(vlans[0], vlans[1]);
      net.learn(member, vlans[1]);
      net.monitor("TCP", "delay", "1", "rise", "1", "attempts_before_deactivation", "1");
      net.delivered.clear();
      net.pass(1);
      Delivery probe =
          net.delivered.stream()
              .filter(each -> Packet.parse(each.frame()).isTcpSyn())
              .findFirst()
              .orElseThrow();
      checkTag(vlans[1], Packet.parse(probe.frame()));
      byte[] untagged = VlanTag.set(probe.frame(), 0);
      Packet reset =
          only(net.send(member, in(vlans[1], Frames.synAck(member.mac(), untagged))), member);
      checkTag(vlans[1], reset);
      assertTrue(reset.hasTcpFlags(Packet.TCP_RST));
      net.pass(1);
      assertEquals(Health.UP, net.stats("m").health());
      net.delete(Catalog.MONITORS, "h");
      net.delete(Catalog.MEMBERS, "m");
      net.delete(Catalog.POOLS, "p");
      net.delete(Catalog.VIPS, "v");
    }
  }

  @Test
  void memberInAnotherVlan_getsAnswersForTheVip_andForNextHopsOfItsClients() {
    service(100, 0);
    net.learn(member);
    net.learn(client, 100);
    for (IPv4Address target : List.of(VIP, client.ip())) {
      byte[] question = Frames.arpRequest(member.mac(), member.ip(), target);
      Packet answer = only(net.send(member, question), member);
      checkTag(0, answer);
      assertEquals(EdgeMac.of(s2), answer.arpSenderMac());
      assertEquals(target, answer.source());
    }
    MacAddress stranger = MacAddress.of("02:00:00:00:77:77");
    byte[] other = Frames.arpRequest(stranger, IPv4Address.of("10.0.0.77"), client.ip());
    assertEquals(List.of(), net.send(member, other));
  }

  /** The same address in two VLANs is that of two hosts. */
  @Test
  void hostOfAnotherVlan_isNeitherClientNorMember() {
    service(100, 300);
    net.learn(member, 300);
    net.learn(client, 100);
    only(net.send(client, in(100, fromClient(Packet.TCP_SYN))), member);
    only(net.send(member, in(300, fromMember())), client);
    net.passedOn.clear();
    net.send(member, in(200, fromMember()));
    assertEquals(1, net.passedOn.size());
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(2));
    Host twin = new Host(s2, 3, client.mac(), client.address());
    net.learn(new Host(s2, 4, client.mac(), client.address()), 200);
    net.learn(twin, 200); // moves
    net.passMillis(Relocations.TICK_MILLIS);
    only(net.send(member, in(300, fromMember())), client);
  }

  @Test
  void changeOfTheVlan_endsConnections_andChangesRules() {
    service(100, 0);
    net.learn(member);
    net.learn(client, 100);
    only(net.send(client, in(100, fromClient(Packet.TCP_SYN))), member);
    net.change(Catalog.VIPS, "v", "vlan", "200");
    net.passedOn.clear();
    assertEquals(List.of(), net.send(client, in(100, fromClient(Packet.TCP_SYN))));
    assertEquals(1, net.passedOn.size());
    only(net.send(client, in(200, fromClient(Packet.TCP_SYN))), member);
  }

  @Test
  void rulesOfVip_matchItsVlanAndThoseOfMembers() {
    service(100, 0);
    assertEquals(Set.of(0, 100), vlansOfVip());
    net.change(Catalog.MEMBERS, "m", "vlan", "300");
    assertEquals(Set.of(100, 300), vlansOfVip());
    net.change(Catalog.MEMBERS, "m", "vlan", "100");
    assertEquals(Set.of(100), vlansOfVip());
    net.change(Catalog.VIPS, "v", "vlan", null);
    assertEquals(Set.of(), vlansOfVip());
    assertTrue(!net.rules(s1, CookieKind.VIP).isEmpty());
  }

  /** Those that the rules of the VIP name. */
  private Set<Integer> vlansOfVip() {
    return net.rules(s1, CookieKind.VIP).stream()
        .map(rule -> rule.match().get(MatchField.VLAN_VID))
        .filter(Objects::nonNull)
        .map(vlan -> (int) vlan.getVlan())
        .collect(Collectors.toSet());
  }

  @Test
  void connectionsOfTaggedClients_areRecovered() {
    service(100, 200);
    net.learn(member, 200);
    net.learn(client, 100);
    only(net.send(client, in(100, fromClient(Packet.TCP_SYN))), member);
    only(net.send(member, in(200, fromMember())), client);
    BalancerNetwork after = net.restarted();
    service(after, 100, 200);
    after.addSwitch(1);
    after.addSwitch(2);
    after.link(s1, 2, s2, 1);
    after.learn(member, 200);
    assertEquals(1, after.stats("m").activeConnections());
    after.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
    checkTag(200, only(after.send(client, in(100, fromClient(Packet.TCP_ACK))), member));
    checkTag(100, only(after.send(member, in(200, fromMember())), client));
  }

  @Test
  void neighboursOverIpv6_areAnsweredInTheirVlans() {
    IPv6Address vip = IPv6Address.of("2001:db8::64");
    Host user = Host.of(s1, 1, "2001:db8::1");
    Host server = Host.of(s2, 2, "2001:db8::b");
    net.create(
        Catalog.VIPS,
        "id",
        "v",
        "protocol",
        "tcp",
        "address",
        "2001:db8::64",
        "port",
        "80",
        "vlan",
        "100");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    net.create(Catalog.MEMBERS, "id", "m", "address", "2001:db8::b", "pool_id", "p");
    net.learn(server);
    net.learn(user, 100);
    checkTag(100, only(net.send(user, in(100, question(user, vip))), user));
    assertEquals(List.of(), net.send(user, question(user, vip)));
    for (IPv6Address target : List.of(vip, (IPv6Address) user.address())) {
      Packet answer = only(net.send(server, question(server, target)), server);
      checkTag(0, answer);
      NeighbourMessage message = NeighbourMessage.of(answer).orElseThrow();
      assertEquals(target, message.target());
      assertEquals(EdgeMac.of(s2), message.mac());
    }
    byte[] syn =
        new Ipv6Frames(user.mac(), EdgeMac.of(s1), (IPv6Address) user.address(), vip)
            .tcp(40_000, 80, Packet.TCP_SYN);
    Packet request = only(net.send(user, in(100, syn)), server);
    checkTag(0, request);
    assertEquals(server.address(), request.destination());
  }

  private static byte[] question(Host asker, IPv6Address target) {
    return new Ipv6Frames(
            asker.mac(),
            MacAddress.of("33:33:ff:00:00:64"),
            (IPv6Address) asker.address(),
            IPv6Address.of("ff02::1:ff00:64"))
        .solicitation(target);
  }

  @Test
  void nextHopThatIsNotKnown_isSearchedForInTheVlanOfTheVip() {
    service(100, 0);
    net.learn(member);
    List<Delivery> sent =
        net.send(member, Frames.arpRequest(member.mac(), member.ip(), client.ip()));
    assertTrue(!sent.isEmpty());
    for (Delivery each : sent) {
      Packet packet = Packet.parse(each.frame());
      assertEquals(client.ip(), NeighbourMessage.of(packet).orElseThrow().target());
      checkTag(100, packet);
    }
  }
}
