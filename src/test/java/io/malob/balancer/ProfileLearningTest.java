package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProfileStats;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/** What is learnt from connections. Client 1 - s1 - s2 - member 1. */
class ProfileLearningTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN | ACK;
  private static final double PRIOR_REPLY = new ServiceProfile().expectedReplyBits() / 8;
  private static final double PRIOR_REQUEST = new ServiceProfile().expectedRequestBits() / 8;
  private static final double PRIOR_NANOS = new ServiceProfile().expectedServiceNanos();

  private BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  ProfileLearningTest() {
    net.link(s1, 2, s2, 1);
    net.learn(member);
    net.webService(member);
  }

  private byte[] toVip(int srcPort, int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags);
  }

  private byte[] fromMember(int dstPort) {
    return Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), dstPort, ACK);
  }

  private void request(int port, int flags) {
    net.send(client, toVip(port, flags));
  }

  private void reply(int port, int packets) {
    for (int i = 0; i < packets; i++) {
      net.send(member, fromMember(port));
    }
  }

  /** Time passes until nothing is left of connections that are silent. */
  private void expire() {
    for (int seconds = 0; seconds < 25; seconds += 5) {
      net.pass(5);
      net.expire();
    }
  }

  private ProfileStats only() {
    List<ProfileStats> all = net.module.profiles();
    assertEquals(1, all.size(), all::toString);
    return all.get(0);
  }

  private boolean replyRuleTellsItsEnd(int port) {
    for (FakeRule rule : net.rules(s2, 0)) {
      if (Cookie.is(rule.cookie(), CookieKind.REPLY)
          && ConnectionRules.tupleOf(rule.match()).dstPort() == port) {
        return rule.flags().contains(OFFlowModFlags.SEND_FLOW_REM);
      }
    }
    throw new AssertionError("no reply rule for port " + port);
  }

  @Test
  void connection_thatHasEnded_isLearntFrom() {
    request(40_000, SYN);
    request(40_000, ACK);
    request(40_000, ACK);
    reply(40_000, 7);
    net.pass(2);
    request(40_000, FIN);
    expire();

    ProfileStats learnt = only();
    assertEquals(1, learnt.samples());
    int frame = fromMember(40_000).length;
    assertEquals((PRIOR_REPLY + 7 * frame) / 2, learnt.replyBytes(), 0.1);
    assertEquals((PRIOR_REQUEST + 3 * frame) / 2, learnt.requestBytes(), 0.1);
    assertEquals((4 * PRIOR_NANOS + 2e9) / 5, learnt.serviceNanos(), 1e6);
    assertEquals(
        (2e9 + 8 * learnt.serviceNanos()) / 9, learnt.serviceNanosByMember().get("m1"), 1e6);
    assertEquals("v", learnt.vipId());
    assertEquals("http", learnt.serviceId());
  }

  @Test
  void roundTripsOfThePaths_areNoServiceTime() {
    DirectedLink there = new DirectedLink(s1, OFPort.of(2), s2, OFPort.of(1));
    DirectedLink back = new DirectedLink(s2, OFPort.of(1), s1, OFPort.of(2));
    net.linkTracker.setTopology(Topology.of(List.of(s1, s2), List.of(there, back)));
    net.linkTracker.latency(there, 100_000_000, net.nanoTime.get());
    net.linkTracker.latency(back, 100_000_000, net.nanoTime.get());
    net.pass(1);
    request(40_000, SYN);
    net.pass(2);
    request(40_000, FIN);
    expire();

    // two round trips of 0.2 s, and so a weight of 1 / 1.4
    double weight = 1 / 1.4;
    assertEquals(1, only().samples());
    assertEquals((4 * PRIOR_NANOS + weight * 1.6e9) / (4 + weight), only().serviceNanos(), 1e6);
  }

  @Test
  void connection_whoseEndIsNotSeen_tookUntilItsRuleWasLastUsed() {
    request(40_000, SYN);
    net.pass(4);
    request(40_000, ACK);
    reply(40_000, 1);
    expire();

    assertEquals(1, only().samples());
    assertEquals((4 * PRIOR_NANOS + 4e9) / 5, only().serviceNanos(), 1e6);
  }

  @Test
  void connection_besideOthers_countsAsIfItHadBeenAlone() {
    for (int port = 41_000; port < 41_003; port++) {
      request(port, SYN);
    }
    request(40_000, SYN);
    net.pass(4);
    request(40_000, FIN);
    for (int seconds = 0; seconds < 30; seconds += 5) {
      for (int port = 41_000; port < 41_003; port++) {
        request(port, ACK); // these go on
      }
      net.pass(5);
      net.expire();
    }

    assertEquals(1, only().samples());
    assertEquals((4 * PRIOR_NANOS + 1e9) / 5, only().serviceNanos(), 1e6);
  }

  @Test
  void replyRuleThatGoesFirst_isWaitedFor() {
    request(40_000, SYN);
    reply(40_000, 1);
    for (int seconds = 0; seconds < 25; seconds += 5) {
      request(40_000, ACK);
      net.pass(5);
      net.expire();
    }
    assertEquals(0, only().samples());
    expire();
    assertEquals(1, only().samples());
  }

  @Test
  void connection_whosePortIsUsedAgain_isNotLearntFrom() {
    request(40_000, SYN);
    request(40_000, FIN);
    request(40_000, SYN);
    reply(40_000, 3);
    expire();
    assertEquals(0, only().samples());
  }

  @Test
  void connection_whoseRulesWereSentAgain_isNotLearntFrom() {
    request(40_000, SYN);
    net.pass(2);
    net.repeatPacketIn(client, toVip(40_000, ACK));
    assertEquals(false, replyRuleTellsItsEnd(40_000));
    expire();
    assertEquals(0, only().samples());
  }

  @Test
  void connection_thatIsCutOff_isNotLearntFrom() {
    request(40_000, SYN);
    reply(40_000, 3);
    net.create(Catalog.VIPS, "id", "w", "protocol", "tcp", "address", "10.0.0.101", "port", "80");
    net.delete(Catalog.MEMBERS, "m1");
    expire();
    assertEquals(0, only().samples());
  }

  @Test
  void switchThatNeverTells_leavesNothingBehind() {
    request(40_000, SYN);
    for (FakeRule rule : net.rules(s1, 1)) {
      if (Cookie.is(rule.cookie(), CookieKind.REQUEST)) {
        net.timeOut(s1, rule); // and its reply rule is not spoken of
      }
    }
    for (int seconds = 0; seconds < 600; seconds += 5) {
      net.pass(5);
    }
    assertEquals(0, net.module.pendingSamples());
  }

  @Test
  void fewConnections_areAllAsked_ofManyOneInSixteen() {
    for (int port = 40_000; port < 40_064; port++) {
      request(port, SYN);
      assertTrue(replyRuleTellsItsEnd(port), "port " + port);
    }
    int asked = 0;
    for (int port = 50_000; port < 51_600; port++) {
      request(port, SYN);
      asked += replyRuleTellsItsEnd(port) ? 1 : 0;
    }
    assertEquals(100, asked, 2);
  }

  @Test
  void services_areLearntForThemselves() {
    net.create(Catalog.VIPS, "id", "any", "address", "10.0.0.102");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "any");
    net.create(Catalog.MEMBERS, "id", "x", "address", "10.0.0.11", "pool_id", "q");
    net.create(Catalog.SERVICES, "id", "ssh", "port", "22", "algorithm", "LC");
    IPv4Address any = IPv4Address.of("10.0.0.102");
    for (int port : new int[] {22, 443, 444}) {
      net.send(
          client,
          Frames.tcp(
              client.mac(), EdgeMac.of(client.switchId()), client.ip(), 40_000, any, port, SYN));
    }
    request(40_000, SYN);
    expire();

    List<String> services =
        net.module.profiles().stream()
            .map(all -> all.vipId() + " " + all.serviceId() + " " + all.samples())
            .toList();
    assertEquals(List.of("any default 2", "any ssh 1", "v http 1"), services);
    net.delete(Catalog.VIPS, "any");
    assertEquals(1, net.module.profiles().size());
  }

  @Test
  void connection_ofBeforeTheRestart_isNotLearntFrom() {
    request(40_000, SYN);
    reply(40_000, 3);
    net.table(s1);
    BalancerNetwork again = net.restarted();
    again.addSwitch(1);
    again.addSwitch(2);
    net = again;
    expire();
    assertTrue(net.module.profiles().stream().allMatch(stats -> stats.samples() == 0));
  }
}
