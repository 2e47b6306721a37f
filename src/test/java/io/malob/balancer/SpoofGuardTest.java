package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.api.SplitHost;
import io.malob.balancer.health.SpoofGuard;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Hosts that claim what is not theirs. What is stopped is neither learned nor forwarded, as the
 * guard comes before whoever would.
 *
 * <pre>
 *  thief --1 s1 2---1 s2 2-- server
 * </pre>
 */
class SpoofGuardTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final IPv4Address ELSEWHERE = IPv4Address.of("10.0.0.77");
  private static final MacAddress BROADCAST = MacAddress.BROADCAST;
  private static final int SYN = 2;

  private final BalancerNetwork net = network();
  private final List<Delivery> sent = new ArrayList<>();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host thief = Host.of(s1, 1, "10.0.0.1");
  private final Host server = Host.of(s2, 2, "10.0.0.11");

  /** The server, as it would be at the thief's port. */
  private final Host moved = new Host(s1, 1, server.mac(), server.ip());

  SpoofGuardTest(SwitchProfile profile) {
    super(profile);
    net.link(s1, 2, s2, 1);
    net.learn(thief);
    net.learn(server);
    net.webService(server);
    net.passMillis(0);
  }

  /** Whether a frame of a host gets past the guard. */
  private boolean passes(Host from, byte[] frame) {
    int before = net.passedOn.size();
    sent.addAll(net.send(from, frame));
    return net.passedOn.size() > before;
  }

  private boolean claims(Host from, IPv4Address address) {
    return passes(from, Frames.arpRequest(from.mac(), address, ELSEWHERE));
  }

  private void serverAnswers() {
    net.send(
        server,
        Frames.arpReply(server.mac(), MacAddress.of("02:03:00:00:00:01"), server.ip(), VIP));
  }

  /** What the server is asked since the last call. */
  private List<Delivery> probes() {
    sent.addAll(net.delivered);
    net.delivered.clear();
    List<Delivery> probes =
        sent.stream()
            .filter(each -> Packet.parse(each.frame()).kind() == Packet.Kind.ARP)
            .filter(each -> Packet.parse(each.frame()).dstAddress() == server.ip().getInt())
            .toList();
    sent.clear();
    return probes;
  }

  @Test
  void arpInTheNameOfAVip_isRefused() {
    assertFalse(claims(thief, VIP));
    assertFalse(
        passes(
            thief,
            Frames.arpReply(thief.mac(), MacAddress.of("02:00:00:00:00:09"), VIP, ELSEWHERE)));
    assertEquals(2, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void packetFromAVipsAddress_isRefused_inTheVlanOfTheVip() {
    byte[] frame = Frames.tcp(thief.mac(), BROADCAST, VIP, 80, ELSEWHERE, 1_000, SYN);
    assertFalse(passes(thief, frame));
    assertTrue(passes(thief, Frames.tagged(frame, 7)));
    net.change(Catalog.VIPS, "v", "vlan", "7");
    assertFalse(passes(thief, Frames.tagged(frame, 7)));
    assertTrue(passes(thief, frame));
    assertEquals(2, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void hostInAnotherVlan_mayHaveTheAddressOfAServer() {
    byte[] frame = Frames.tcp(thief.mac(), BROADCAST, server.ip(), 80, ELSEWHERE, 1_000, SYN);
    assertTrue(passes(thief, Frames.tagged(frame, 7)));
    assertFalse(passes(thief, frame));
    assertEquals(1, net.refused(RejectReason.IN_DOUBT));
  }

  @Test
  void arpForAVip_isNoClaim() {
    net.send(thief, Frames.arpRequest(thief.mac(), thief.ip(), VIP));
    assertEquals(0, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void claimOfAServersAddress_whileItAnswersWhereItIs_isRefused() {
    probes();
    assertFalse(claims(thief, server.ip()));
    assertEquals(1, net.refused(RejectReason.IN_DOUBT));
    Delivery probe = probes().get(0);
    assertEquals(server.switchId(), probe.switchId());
    assertEquals(server.port(), probe.port().getPortNumber());

    serverAnswers();
    assertFalse(claims(thief, server.ip()));
    net.pass(5);
    assertFalse(claims(thief, server.ip()));
    assertEquals(2, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void packetWithAServersMac_isRefusedLikeItsAddress() {
    Host masked = new Host(s1, 1, server.mac(), thief.ip());
    assertFalse(claims(masked, thief.ip()));
    net.passMillis(100);
    serverAnswers();
    assertFalse(claims(masked, thief.ip()));
    assertEquals(0, net.refused(RejectReason.SPOOFED), "it may be a bond");
    net.pass(11);
    assertEquals(1, net.refused(RejectReason.SPOOFED));
    assertEquals(List.of(), net.module.splitHosts());
  }

  @Test
  void bondThatSharesItsFlows_isFound_andDoesNotCountAsSpoofed() {
    for (int i = 0; i < 6; i++) {
      claims(i % 2 == 0 ? moved : server, server.ip());
      net.passMillis(100);
    }
    assertEquals(
        List.of(
            new SplitHost(
                new Attachment(s1, OFPort.of(1), server.mac()),
                new Attachment(s2, OFPort.of(2), server.mac()))),
        net.module.splitHosts());
    net.pass(61);
    assertEquals(0, net.refused(RejectReason.SPOOFED));
    assertEquals(List.of(), net.module.splitHosts());
  }

  @Test
  void packetFromAServersAddress_isRefusedLikeAnArp() {
    byte[] frame = Frames.tcp(thief.mac(), BROADCAST, server.ip(), 80, ELSEWHERE, 1_000, SYN);
    assertFalse(passes(thief, frame));
    serverAnswers();
    assertFalse(passes(thief, frame));
    assertEquals(1, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void serverThatMoves_isBelievedWhenItsOldPlaceWasSilentForASecond_andIsLookedFor() {
    assertBelievedAfter(1_000, new Host(s1, 1, thief.mac(), server.ip()));
  }

  @Test
  void bondThatChangesItsLeg_isBelievedSooner() {
    assertBelievedAfter(300, moved);
  }

  private void assertBelievedAfter(int millis, Host host) {
    assertFalse(claims(host, server.ip()));
    net.passMillis(millis - 1);
    assertFalse(claims(host, server.ip()));
    probes();
    net.passMillis(1);
    assertTrue(probes().stream().anyMatch(sent -> sent.at().getNodeId().equals(moved.switchId())));
    assertTrue(claims(host, server.ip()));
    assertEquals(0, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void packetInFlightFromTheOldLegOfABond_isNoAnswer() {
    assertFalse(claims(moved, server.ip()));
    net.passMillis(49);
    serverAnswers();
    net.passMillis(251);
    assertTrue(claims(moved, server.ip()));
  }

  @Test
  void lateAnswerOfABond_isValidForASecondOnly() {
    assertFalse(claims(moved, server.ip()));
    net.passMillis(50);
    serverAnswers();
    assertFalse(claims(moved, server.ip()));
    net.passMillis(1_000);
    assertFalse(claims(moved, server.ip()));
    net.passMillis(300);
    assertTrue(claims(moved, server.ip()));
  }

  @Test
  void serverThatMoves_isBelievedAtOnceWhenItsOldSwitchIsGone() {
    net.disconnect(s2);
    assertTrue(claims(moved, server.ip()));
    assertEquals(0, net.refused(RejectReason.IN_DOUBT));
  }

  @Test
  void serverThatHasMoved_isAtHomeInItsNewPlace_andTheOldOneIsAsked() {
    net.learn(moved);
    assertTrue(claims(moved, server.ip()));
    assertFalse(claims(server, server.ip()));
    assertEquals(1, net.refused(RejectReason.IN_DOUBT));
  }

  @Test
  void serverAtHome_isNeverAsked() {
    probes();
    assertTrue(claims(server, server.ip()));
    net.pass(1);
    assertEquals(List.of(), probes());
  }

  @Test
  void question_isAskedOncePerTickUntilItIsAnswered_andAnewAfterTenSeconds() {
    probes();
    claims(thief, server.ip());
    claims(thief, server.ip());
    assertEquals(1, probes().size());
    net.passMillis(100);
    assertEquals(1, probes().size());
    serverAnswers();
    net.passMillis(100);
    assertEquals(0, probes().size());
    net.pass(11);
    claims(thief, server.ip());
    assertEquals(1, probes().size());
  }

  @Test
  void memberOfNoVip_isNobodysBusiness() {
    net.delete(Catalog.VIPS, "v");
    assertTrue(claims(thief, server.ip()));
  }

  @Test
  void ownArp_overALinkThatIsNotKnownYet_isNoClaim() {
    net.network.connect(s1, 3, s2, 3);
    askForAHost();
    assertEquals(List.of(), net.passedOn);
    net.pass(SpoofGuard.LINKS_KNOWN_SECONDS - 2);
    net.learnLink(s1, 3, s2, 3);
    net.pass(60);
    assertEquals(0, net.refused(RejectReason.SPOOFED));
  }

  @Test
  void ownArp_whereNoLinkIsFound_isAClaimAfterAll() {
    net.network.connect(s1, 3, s2, 3);
    askForAHost();
    net.pass(SpoofGuard.LINKS_KNOWN_SECONDS - 2);
    assertEquals(0, net.refused(RejectReason.SPOOFED));
    net.pass(2);
    assertTrue(net.refused(RejectReason.SPOOFED) > 0);
  }

  @Test
  void arpWithAVipsOwnMac_isStoppedAtOnce_andCountedWhenLinksAreKnown() {
    Host masked = new Host(s1, 1, EdgeMac.of(s1), VIP);
    assertFalse(claims(masked, VIP));
    assertFalse(claims(masked, VIP));
    net.pass(SpoofGuard.LINKS_KNOWN_SECONDS);
    assertEquals(2, net.refused(RejectReason.SPOOFED));
    assertFalse(claims(masked, VIP));
    net.pass(SpoofGuard.LINKS_KNOWN_SECONDS);
    assertEquals(3, net.refused(RejectReason.SPOOFED), "each counts once");
  }

  @Test
  void otherPacketsWithAVipsOwnMac_areRefusedAtOnce() {
    Host masked = new Host(s1, 1, EdgeMac.of(s1), VIP);
    assertFalse(
        passes(masked, Frames.tcp(masked.mac(), BROADCAST, VIP, 80, ELSEWHERE, 1_000, SYN)));
    assertEquals(1, net.refused(RejectReason.SPOOFED));
  }

  /** The balancer asks all ports for a member that it does not know. */
  private void askForAHost() {
    net.create(Catalog.MEMBERS, "id", "lost", "address", "10.0.0.12", "port", "80", "pool_id", "p");
    net.pass(1);
  }

  @Test
  void setting_switchesItOff() {
    BalancerNetwork open = network(Map.of("refuseSpoofing", "false"));
    DatapathId only = open.addSwitch(1);
    Host host = Host.of(only, 1, "10.0.0.1");
    open.webService(server);
    open.send(host, Frames.arpRequest(host.mac(), VIP, ELSEWHERE));
    assertEquals(1, open.passedOn.size());
  }
}
