package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats.Problem.Kind;
import io.malob.balancer.api.SplitHost;
import io.malob.module.DuplicateSwitch;
import io.malob.state.network.Prefix;
import io.malob.state.network.SelfAddresses;
import io.malob.store.MemoryStore;
import io.malob.testing.Placements;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

class ProblemsRestTest {
  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  /** A VIP with a pool and a member that works. */
  private void configure() throws Exception {
    server.post("/vips/", "{\"id\":\"web\",\"address\":\"10.0.0.100\",\"port\":80}");
    server.post("/pools/", "{\"id\":\"p\",\"vip_id\":\"web\"}");
    server.post(
        "/members/", "{\"id\":\"a\",\"address\":\"10.0.0.1\",\"port\":81,\"pool_id\":\"p\"}");
    setMember(true, Health.UNCHECKED);
  }

  private void setMember(boolean located, Health health) {
    server.stats.put("a", new MemberStats(0, 0, OptionalInt.empty(), 0, 0, located, health, 1));
  }

  private List<JsonNode> problems() throws Exception {
    List<JsonNode> found = new ArrayList<>();
    server.sendTo("GET", "/wm/malob/problems", null).json().forEach(found::add);
    return found;
  }

  private JsonNode onlyProblem(String reason) throws Exception {
    List<JsonNode> found = problems();
    assertEquals(1, found.size(), found.toString());
    assertEquals(reason, found.get(0).get("reason").asText());
    return found.get(0);
  }

  private static String text(JsonNode problem) {
    return problem.get("problem").asText() + " " + problem.get("remedy").asText();
  }

  @Test
  void balancer_thatWorks_hasNone() throws Exception {
    assertEquals(List.of(), problems());
    configure();
    assertEquals(List.of(), problems());
  }

  @Test
  void switchesWithOneDatapathId_areAProblemThatNamesBoth() throws Exception {
    configure();
    server.duplicates =
        ImmutableList.of(
            new DuplicateSwitch(DatapathId.of(7), "/192.0.2.1:40001", "/192.0.2.2:40002"));
    JsonNode problem = onlyProblem("duplicate_switch");
    assertEquals(
        "Two switches have the datapath id 00:00:00:00:00:00:00:07: the one at /192.0.2.1:40001 is"
            + " served, the one at /192.0.2.2:40002 is refused. Give one of them another datapath"
            + " id. If both are the same switch, let it connect to this controller only once.",
        text(problem));
    assertTrue(problem.get("id").isNull());
  }

  @Test
  void noSwitch_isTheOnlyProblemOfMembersThatAreNotLocated() throws Exception {
    configure();
    setMember(false, Health.UNCHECKED);
    server.monitor.topology = Topology.of(List.of(), List.of());
    JsonNode problem = onlyProblem("no_switch");
    assertEquals(
        "No switch is connected. Set the controller of your switches to this machine and its"
            + " OpenFlow port (6653 by default).",
        text(problem));
    assertTrue(problem.get("id").isNull());
  }

  @Test
  void vip_withoutPool() throws Exception {
    server.post("/vips/", "{\"id\":\"web\",\"address\":\"10.0.0.100\",\"port\":80}");
    assertEquals(
        "{\"reason\":\"no_pool\",\"kind\":\"vip\",\"id\":\"web\","
            + "\"problem\":\"VIP web has no pool and rejects its clients.\","
            + "\"remedy\":\"Add a pool to it.\",\"command\":\"./malob pool add ID --vip web\"}",
        onlyProblem("no_pool").toString());
  }

  @Test
  void switchThatRefusesARule_isAProblemOfTheVip_thatNamesTheReason() throws Exception {
    configure();
    String why = "a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL";
    server.proactive.add(
        Placements.web(
            Placements.proactive(1),
            Placements.reactive(2, Kind.RULE_REFUSED, why),
            Placements.reactive(3, Kind.RULE_REFUSED, why)));

    JsonNode problem = onlyProblem("rule_refused");
    assertEquals(
        "VIP web is reactive at switch 00:00:00:00:00:00:00:02 and 1 more: " + why + ".",
        problem.get("problem").asText());
    assertEquals(
        "[\"vip\",\"web\",\"./malob vip set web --placement reactive\"]",
        "[" + problem.get("kind") + "," + problem.get("id") + "," + problem.get("command") + "]");
  }

  @Test
  void addressOfALiveHost_isAProblemOfAVipThatTakesIt() throws Exception {
    server.hosts.add(host("02:00:00:00:00:21", "10.0.0.21", "2001:db8::21"));
    configure();
    assertEquals(List.of(), problems());
    server.put("/vips/web", "{\"address\":\"10.0.0.21\"}");

    JsonNode problem = onlyProblem("address_taken");

    assertEquals(
        "VIP web has the address 10.0.0.21 of a host (02:00:00:00:00:21 at port 5 of switch"
            + " 00:00:00:00:00:00:00:01), whose packets are dropped.",
        problem.get("problem").asText());
    assertEquals("./malob vip set web --address ADDRESS", problem.get("command").asText());
    assertEquals("web", problem.get("id").asText());
    server.delete("/members/a");
    server.put("/pools/p", "{\"vip_id\":null}");
    server.put("/vips/web", "{\"address\":\"2001:db8::21\"}");
    assertTrue(text(problems().get(1)).contains("2001:db8::21"), problems().toString());
    server.hosts.clear();
    assertTrue(
        problems().stream().noneMatch(each -> each.get("reason").asText().equals("address_taken")));
  }

  private static IDevice host(String mac, String ipv4, String ipv6) {
    return Stub.of(IDevice.class)
        .on(
            "getAttachmentPoints",
            none -> new SwitchPort[] {new SwitchPort(DatapathId.of(1), OFPort.of(5))})
        .on("getVlanId", none -> new VlanVid[] {VlanVid.ZERO})
        .on("getMACAddress", none -> MacAddress.of(mac))
        .on("getMACAddressString", none -> mac)
        .on("getIPv4Addresses", none -> new IPv4Address[] {IPv4Address.of(ipv4)})
        .on("getIPv6Addresses", none -> new IPv6Address[] {IPv6Address.of(ipv6)})
        .make();
  }

  @Test
  void vipWithoutRoomForAllRules_keepsItsBuckets() throws Exception {
    configure();
    String why = "a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL";
    server.proactive.add(Placements.web(Placements.lacking(2, Kind.RULE_REFUSED, why)));

    assertEquals(
        "VIP web lacks rules at switch 00:00:00:00:00:00:00:02: " + why + ".",
        onlyProblem("rule_refused").get("problem").asText());
  }

  @Test
  void switchThatNoTranslatingSwitchIsReachedFrom_isAProblemOfEachVip() throws Exception {
    configure();
    server.unserved.add(DatapathId.of(7));

    JsonNode problem = onlyProblem("not_served");
    assertEquals(
        "Hosts behind switch 00:00:00:00:00:00:00:07 do not reach VIP web: the switch cannot"
            + " translate addresses, and no switch that can is reached from it.",
        problem.get("problem").asText());
    assertEquals("web", problem.get("id").asText());
  }

  @Test
  void vipThatNeedsTooManyRulesInOneTable_isReactive() throws Exception {
    configure();
    server.proactive.add(
        Placements.web(
            Placements.reactive(2, Kind.FEW_TABLES, "the table of switch 3 is too small")));

    assertEquals(
        "VIP web is reactive at switch 00:00:00:00:00:00:00:02: the table of switch 3 is too"
            + " small.",
        onlyProblem("few_tables").get("problem").asText());
  }

  @Test
  void trackedVipAtASwitchThatDoesNotTrack_isReactive() throws Exception {
    configure();
    server.proactive.add(
        Placements.web(
            Placements.reactive(2, Kind.NO_TRACKING, "switch 2 does not track connections")));

    assertEquals(
        "VIP web is reactive at switch 00:00:00:00:00:00:00:02: switch 2 does not track"
            + " connections.",
        onlyProblem("no_tracking").get("problem").asText());
  }

  @Test
  void fullTableOfConnections_isAProblemOfTheVip() throws Exception {
    configure();
    server.proactive.add(
        Placements.web(
            Placements.reactive(
                2, Kind.TRACKING_FULL, "the table of connections of switch 2 is full")));

    assertEquals(
        "The controller places new connections of VIP web: the table of connections of switch 2"
            + " is full.",
        onlyProblem("tracking_full").get("problem").asText());
  }

  @Test
  void switchWithoutMasks_andTooFewSources_areProblemsOfTheVip() throws Exception {
    configure();
    server.proactive.add(
        Placements.web(
            Placements.uneven(1, "port"),
            Placements.reactive(2, Kind.NO_MASKS, "the switch accepts no masks")));

    List<JsonNode> found = problems();
    assertEquals(
        List.of("no_masks", "too_few_sources"),
        found.stream().map(each -> each.get("reason").asText()).toList());
    assertTrue(
        text(found.get(0)).startsWith("VIP web is reactive at switch 00:00:00:00:00:00:00:02: "));
    assertEquals(
        "VIP web does not meet the shares of its members at switch 00:00:00:00:00:00:00:01:"
            + " 25 % of the traffic goes to another member than by shares, because too few client"
            + " ports send it.",
        found.get(1).get("problem").asText());
  }

  @Test
  void tooFewAddresses_haveARemedyOfTheirOwn() throws Exception {
    configure();
    server.proactive.add(Placements.web(Placements.uneven(1, "address")));
    assertTrue(text(onlyProblem("too_few_sources")).contains("a switch that can mask ports"));
  }

  @Test
  void pool_withoutMembers() throws Exception {
    configure();
    server.delete("/members/a");
    JsonNode problem = onlyProblem("no_members");
    assertEquals(
        "Pool p of VIP web has no members and rejects its clients. Add a member to it.",
        text(problem));
    assertEquals(
        "./malob member add ID --address ADDRESS --pool p", problem.get("command").asText());
  }

  @Test
  void whatIsDown_isNamedOnce_byItsUppermostItem() throws Exception {
    configure();
    server.put("/load_balancers/lb", "{\"address\":\"10.0.0.100\"}");
    server.put("/pools/p", "{\"admin_state\":\"down\"}");
    JsonNode problem = onlyProblem("pool_down");
    assertEquals("p", problem.get("id").asText());
    assertTrue(text(problem).startsWith("Pool p is down, so VIP web rejects new connections."));
    server.put("/vips/web", "{\"admin_state\":\"down\"}");
    assertEquals("web", onlyProblem("vip_down").get("id").asText());
    server.put("/load_balancers/lb", "{\"admin_state\":\"down\"}");
    problem = onlyProblem("load_balancer_down");
    assertEquals("load_balancer", problem.get("kind").asText());
    assertEquals("./malob load-balancer set lb --admin-state up", problem.get("command").asText());
  }

  @Test
  void pool_withoutVip() throws Exception {
    configure();
    setMember(false, Health.UNCHECKED);
    server.put("/pools/p", "{\"vip_id\":null}");
    server.delete("/vips/web");
    assertEquals("p", onlyProblem("no_vip").get("id").asText());
  }

  @Test
  void pool_whoseMembersAreAllDrained() throws Exception {
    configure();
    setMember(false, Health.DOWN);
    server.put("/members/a", "{\"admin_state\":\"drain\"}");
    assertTrue(text(onlyProblem("all_out")).contains("drained"));
  }

  @Test
  void member_inNoPool() throws Exception {
    configure();
    server.post("/members/", "{\"id\":\"b\",\"address\":\"10.0.0.2\"}");
    JsonNode problem = onlyProblem("in_no_pool");
    assertEquals(
        "Member b (10.0.0.2) is in no pool and gets no connections. Add it to a pool.",
        text(problem));
  }

  @Test
  void member_thatIsNotLocated() throws Exception {
    configure();
    setMember(false, Health.DOWN);
    assertTrue(
        text(onlyProblem("not_located"))
            .startsWith("Member a (10.0.0.1:81) is not located and gets no connections"));
  }

  @Test
  void member_thatIsInAnotherVlan() throws Exception {
    server.hosts.add(host("02:00:00:00:00:21", "10.0.0.1", "2001:db8::21"));
    configure();
    server.put("/members/a", "{\"vlan\":100}");
    setMember(false, Health.DOWN);
    assertTrue(
        text(onlyProblem("not_located"))
            .contains("its address was seen untagged, and the member is in VLAN 100."));
    server.hosts.clear();
    assertTrue(
        text(onlyProblem("not_located"))
            .contains("no switch has seen a packet from its address in VLAN 100."));
  }

  @Test
  void hostInAnotherVlan_mayHaveTheAddressOfAVip() throws Exception {
    server.hosts.add(host("02:00:00:00:00:21", "10.0.0.21", "2001:db8::21"));
    configure();
    server.put("/vips/web", "{\"address\":\"10.0.0.21\",\"vlan\":100}");
    assertEquals(List.of(), problems());
    server.put("/vips/web", "{\"vlan\":null}");
    assertEquals("web", onlyProblem("address_taken").get("id").asText());
    server.hosts.clear();
  }

  @Test
  void member_thatFailsItsChecks() throws Exception {
    configure();
    setMember(true, Health.DOWN);
    assertEquals(
        "Member a (10.0.0.1:81) is down: it fails its health checks."
            + " Check that the service runs and listens on port 81.",
        text(onlyProblem("down")));
  }

  @Test
  void member_thatFailsChecksFromTheVip_mayHaveItsAddress() throws Exception {
    configure();
    server.post("/health_monitors/", "{\"id\":\"h\",\"type\":\"PING\",\"pool_id\":\"p\"}");
    setMember(true, Health.DOWN);
    String itself = "If it has the address 10.0.0.100 itself, for instance on lo, it drops the";
    assertTrue(text(onlyProblem("down")).contains(itself), text(onlyProblem("down")));

    server.selfAddresses = SelfAddresses.parse("10.0.0.200/24").orElseThrow();
    assertFalse(text(onlyProblem("down")).contains(itself), "checks come from another address");
    server.selfAddresses = SelfAddresses.NONE;

    server.put("/health_monitors/h", "{\"type\":\"AGENT\"}");
    assertFalse(text(onlyProblem("down")).contains(itself));
    server.put("/health_monitors/h", "{\"type\":\"TCP\"}");
    server.put("/vips/v6", "{\"address\":\"2001:db8::100\"}");
    server.put("/vips/auto", "{\"address\":\"10.0.0.101\",\"port\":80,\"protocol\":\"tcp\"}");
    server.put("/vips/auto", "{\"placement\":\"auto\"}");
    assertTrue(text(problem("down")).contains(itself), text(problem("down")));
    server.put("/vips/auto", "{\"placement\":\"reactive\"}");
    assertFalse(text(problem("down")).contains(itself));
  }

  private void route() throws Exception {
    server.routes().set(Prefix.parse("10.0.0.0", "30").orElseThrow(), IPAddress.of("10.9.0.1"));
  }

  @Test
  void member_behindARouterThatIsNotSeen_namesTheRouter() throws Exception {
    configure();
    route();
    setMember(false, Health.UNCHECKED);
    assertTrue(
        text(onlyProblem("not_located"))
            .contains("no switch has seen a packet from 10.9.0.1, the router to it."));
  }

  @Test
  void member_behindARouterThatDoesNotAnswer_saysHowItsRepliesGo() throws Exception {
    configure();
    route();
    setMember(true, Health.EJECTED);
    server.ejected.put("a", new EjectedMember("no_reply", 1, 29_500_000_000L));
    assertTrue(
        text(onlyProblem("no_answer"))
            .endsWith(
                "check that the router 10.9.0.1 sends what is for the clients into this"
                    + " network."));
    setMember(true, Health.DOWN);
    assertTrue(text(onlyProblem("down")).contains("set selfAddresses"));
    server.selfAddresses = SelfAddresses.parse("10.9.0.200/24").orElseThrow();
    assertTrue(text(onlyProblem("down")).contains("checked from 10.9.0.200 by way of the router"));
  }

  @Test
  void proactiveVip_withAMemberBehindARouter_isReactive() throws Exception {
    configure();
    setMember(true, Health.UP);
    server.put("/vips/web", "{\"protocol\":\"tcp\"}");
    server.put("/vips/web", "{\"placement\":\"proactive\"}");
    assertEquals(List.of(), problems());
    route();
    assertTrue(
        text(onlyProblem("behind_router"))
            .startsWith("VIP web is reactive: its member a is behind"));
  }

  private JsonNode problem(String reason) throws Exception {
    return problems().stream()
        .filter(each -> each.get("reason").asText().equals(reason))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void member_thatDoesNotAnswer() throws Exception {
    configure();
    setMember(true, Health.EJECTED);
    server.ejected.put("a", new EjectedMember("no_reply", 1, 29_500_000_000L));
    assertEquals(
        "Member a (10.0.0.1:81) leaves its clients without an answer."
            + " It gets no new connections for 30 s."
            + " Check that the service runs and listens on port 81.",
        text(onlyProblem("no_answer")));
  }

  @Test
  void hostThatSendsFromTwoPorts_isTheProblem_notItsService() throws Exception {
    configure();
    setMember(true, Health.EJECTED);
    server.ejected.put("a", new EjectedMember("no_reply", 1, 29_500_000_000L));
    server.hosts.add(host("02:00:00:00:00:21", "10.0.0.1", "2001:db8::21"));
    Attachment first =
        new Attachment(DatapathId.of(1), OFPort.of(3), MacAddress.of("02:00:00:00:00:21"));
    server.splitHosts.add(
        new SplitHost(first, new Attachment(DatapathId.of(2), OFPort.of(4), first.mac())));
    assertTrue(
        text(onlyProblem("bond_over_switches"))
            .startsWith(
                "Host 02:00:00:00:00:21 (10.0.0.1, 2001:db8::21) sends from port 3 of switch"
                    + " 00:00:00:00:00:00:00:01 and from port 4 of switch 00:00:00:00:00:00:00:02"
                    + " in turns"));
    server.splitHosts.set(
        0, new SplitHost(first, new Attachment(DatapathId.of(1), OFPort.of(4), first.mac())));
    assertTrue(text(onlyProblem("bond_not_named")).contains("name both ports"));
  }

  /** The only member of a pool stays in use. */
  @Test
  void member_thatDoesNotAnswerAndIsNeeded() throws Exception {
    configure();
    server.put("/members/a", "{\"port\":null}");
    server.ejected.put("a", new EjectedMember("refuses", 1, 29_500_000_000L));
    assertEquals(
        "Member a (10.0.0.1) has a service that does not answer, as its agent reports."
            + " It still gets connections, because too few other members are usable."
            + " Check that the service runs and listens on port 80.",
        text(onlyProblem("no_answer")));
  }

  @Test
  void rates_haveTheFirstProblemsAndTheNumberOfOthers() throws Exception {
    for (int i = 1; i <= 12; i++) {
      server.post("/vips/", "{\"id\":\"v" + i + "\",\"address\":\"10.0.1." + i + "\"}");
    }
    JsonNode rates = server.sendTo("GET", "/wm/malob/events/rates", null).json();
    assertEquals(10, rates.get("problems").size());
    assertEquals("v1", rates.at("/problems/0/id").asText());
    assertEquals(2, rates.get("problems_left_out").asInt());
    assertEquals(12, problems().size());
  }
}
