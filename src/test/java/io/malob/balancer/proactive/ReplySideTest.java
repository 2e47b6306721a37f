package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServicePlan;
import io.malob.json.RejectedException;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.label.LabelTable;
import io.malob.testing.Servers;
import io.malob.testing.SwitchProfile;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The number of rules at a members' edge with one table, where clients are, too. */
class ReplySideTest {
  private static final DatapathId EDGE = DatapathId.of(1);
  private static final int MAX_PAIRS = 6;
  private static final BucketTraffic WEB =
      new BucketTraffic(7, IPv4Address.of("10.0.0.100"), MacAddress.of(100), IpProtocol.TCP, 80);
  private static final ImmutableList<Server> MEMBERS =
      ImmutableList.of(Servers.on(1, 1, 1), Servers.on(2, 1, 1));

  private final FakeSwitches switches = new FakeSwitches(1, SwitchProfile.ONE_TABLE);
  private final FlowProgrammer programmer = switches.programmer();
  private final Programmed programmed =
      new Programmed(
          programmer,
          new RulePacer(programmer, Runnable::run, () -> 0),
          Runnable::run,
          any -> true,
          any -> true);
  private final ReplySide side =
      new ReplySide(
          new LabelTable(programmer, () -> 0), new HostRuleCache(60), programmed, MAX_PAIRS);
  private final ServicePlan plan;

  ReplySideTest() throws IOException, RejectedException {
    plan = WebPlan.of(EDGE, MEMBERS).plan();
  }

  private void advance(int clientCount) {
    Map<Integer, Attachment> clients = new HashMap<>();
    for (int number = 1; number <= clientCount; number++) {
      clients.put(
          AddressKey.of(IPv4Address.of("10.0.1." + number)),
          new Attachment(EDGE, OFPort.of(10 + number), MacAddress.of(number)));
    }
    BalancerView view = BalancerView.EMPTY;
    Situation now = new Situation(view, view.network(), plan, WEB, MEMBERS, MEMBERS, Map.of(), 0);
    side.advance(now, ImmutableMap.copyOf(clients), Set.of(EDGE));
    programmed.flush();
  }

  /** The rules that translate the replies of a member to one client. */
  private long pairs() {
    return switches.get(1).table().rules().stream()
        .filter(
            rule ->
                !WEB.address().equals(rule.match().get(MatchField.IPV4_DST))
                    && rule.match().isExact(MatchField.TCP_SRC)
                    && rule.match().isExact(MatchField.IPV4_DST))
        .count();
  }

  @Test
  void eachMemberAndClient_haveARule_upToAMax() {
    advance(3);
    assertEquals(6, pairs());
    assertEquals(Optional.empty(), side.crowded());

    advance(4);
    assertEquals(6, pairs());
    assertTrue(side.crowded().orElseThrow().contains("2 members to more than 3 clients"));

    advance(2);
    assertEquals(4, pairs());
    assertEquals(Optional.empty(), side.crowded());
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
