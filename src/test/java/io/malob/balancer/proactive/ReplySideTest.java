package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.ReplyOrdinals;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.capability.FeatureProbes;
import io.malob.json.RejectedException;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.label.LabelTable;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import io.malob.testing.Servers;
import io.malob.testing.SwitchProfile;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The number of rules at a members' edge with one table, where next hops are, too. */
class ReplySideTest {
  private static final DatapathId EDGE = DatapathId.of(1);
  private static final int MAX_PAIRS = 6;
  private static final BucketTraffic WEB =
      new BucketTraffic(7, IPv4Address.of("10.0.0.100"), 0, IpProtocol.TCP, 80);
  private static final ImmutableList<Server> MEMBERS =
      ImmutableList.of(Servers.on(1, 1, 1), Servers.on(2, 1, 1));

  private final FakeSwitches switches = new FakeSwitches(1, SwitchProfile.ONE_TABLE);
  private final RuleSender ruleSender = switches.ruleSender();
  private final Programmed programmed =
      new Programmed(
          ruleSender,
          new RulePacer(ruleSender, Runnable::run, () -> 0),
          Runnable::run,
          any -> true,
          new FeatureProbes());
  private final ReplySide side =
      new ReplySide(
          new LabelTable(ruleSender, () -> 0),
          new HostRuleCache(60),
          programmed,
          new ReplyOrdinals(),
          MAX_PAIRS);
  private final ServicePlan plan;

  ReplySideTest() throws IOException, RejectedException {
    plan = WebPlan.of(EDGE, MEMBERS).plan();
  }

  private static Attachment hop(int port, int mac) {
    return new Attachment(EDGE, OFPort.of(port), MacAddress.of(mac));
  }

  /** With next hops whose MAC addresses are from 1. */
  private void advance(int count) {
    advance(
        IntStream.rangeClosed(1, count)
            .mapToObj(number -> hop(10 + number, number))
            .toArray(Attachment[]::new));
  }

  private void advance(Attachment... nextHops) {
    BalancerView view = BalancerView.EMPTY;
    BucketInput now =
        new BucketInput(view, view.network(), plan, WEB, MEMBERS, MEMBERS, Map.of(), 0);
    side.advance(
        now, Maps.uniqueIndex(List.of(nextHops), NextHopMac::of), Set.of(EDGE), ImmutableMap.of());
    programmed.flush();
  }

  /** The rules that translate the replies of a member to one next hop. */
  private long pairs() {
    return switches.get(1).table().rules().stream()
        .filter(
            rule ->
                !WEB.address().equals(rule.match().get(MatchField.IPV4_DST))
                    && rule.match().isExact(MatchField.TCP_SRC)
                    && rule.match().isExact(MatchField.ETH_DST))
        .count();
  }

  @Test
  void eachMemberAndNextHop_haveARule_upToAMax() {
    advance(3);
    assertEquals(6, pairs());
    assertEquals(Optional.empty(), side.crowded());

    advance(4);
    assertEquals(6, pairs());
    assertTrue(side.crowded().orElseThrow().contains("2 members to more than 3 next hops"));

    advance(2);
    assertEquals(4, pairs());
    assertEquals(Optional.empty(), side.crowded());
  }

  /** Where a member's reply to a client comes out, which it has addressed to a MAC address. */
  private List<OFPort> outOf(Server member, int mac, String client) {
    byte[] reply =
        Frames.tcp(
            member.at().mac(),
            MacAddress.of(mac),
            (IPv4Address) AddressKey.toAddress(member.address()),
            member.port(),
            IPv4Address.of(client),
            40_000,
            0x10);
    return switches.get(1).table().process(member.at().port().getPortNumber(), reply).stream()
        .map(Output::port)
        .toList();
  }

  @Test
  void replies_leadToTheNextHopThatTheMemberHasChosen_whateverTheClient() {
    advance(2);

    for (Server member : MEMBERS) {
      for (String client : List.of("10.0.0.1", "203.0.113.9")) {
        assertEquals(List.of(OFPort.of(11)), outOf(member, 1, client));
        assertEquals(List.of(OFPort.of(12)), outOf(member, 2, client));
        assertEquals(List.of(OFPort.CONTROLLER), outOf(member, 3, client));
      }
    }
  }

  @Test
  void nextHop_thatMovesOrLeaves_getsNoRepliesAtItsFormerPort() {
    advance(hop(11, 1), hop(12, 2));

    advance(hop(21, 1));

    assertEquals(List.of(OFPort.of(21)), outOf(MEMBERS.get(0), 1, "10.0.0.1"));
    assertEquals(List.of(OFPort.CONTROLLER), outOf(MEMBERS.get(0), 2, "10.0.0.1"));
    assertEquals(2, pairs());
  }

  @Test
  void clearedSide_hasNoRules() {
    advance(4);

    side.clear(WEB.vipNumber(), 0);
    programmed.flush();

    assertEquals(0, pairs());
    assertEquals(Optional.empty(), side.crowded());
  }
}
