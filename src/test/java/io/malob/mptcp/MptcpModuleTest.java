package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.json.RejectedException;
import io.malob.mptcp.SubflowNetwork.LabHost;
import io.malob.openflow.IpFamily;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.PaperTopology;
import io.malob.testing.SwitchProfile;
import io.malob.testing.Topologies;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The module on the paper's topology 1, where hosts of VLAN 100 and 105 are, by addresses of each
 * family, on switches with four tables and with one.
 */
@ParameterizedClass
@CsvSource({"IPV4, FOUR_TABLES, FOUR_TABLES", "IPV6, ONE_TABLE_WITH_GROUPS, ONE_TABLE"})
class MptcpModuleTest {
  private static final Topology PAPER = PaperTopology.topology();

  private final IpFamily family;
  private final SwitchProfile odd;
  private final SwitchProfile even;
  private final List<SubflowNetwork> labs = new ArrayList<>();
  private final SubflowNetwork lab;

  MptcpModuleTest(IpFamily family, SwitchProfile odd, SwitchProfile even) {
    this.family = family;
    this.odd = odd;
    this.even = even;
    this.lab = lab(Map.of());
  }

  private SwitchProfile profile(DatapathId id) {
    return id.getLong() % 2 == 0 ? even : odd;
  }

  private SubflowNetwork empty(Map<String, String> settings) {
    SubflowNetwork made = new SubflowNetwork(family, PAPER, settings, this::profile);
    labs.add(made);
    return made;
  }

  @AfterEach
  void assertNothingRefused() {
    labs.forEach(each -> assertEquals(List.of(), each.network.refusals()));
  }

  private SubflowNetwork lab(Map<String, String> settings) {
    SubflowNetwork lab = empty(settings);
    lab.attach("h1", 1, "10.0.0.1", 100);
    lab.attach("h2", 1, "10.0.2.1", 105);
    lab.attach("h3", 2, "10.0.0.2", 100);
    lab.attach("h4", 2, "10.0.2.2", 105);
    lab.attach("h5", 5, "10.0.0.3", 100);
    lab.attach("h6", 4, "10.0.0.4", 100);
    lab.attach("h7", 3, "10.0.2.3", 105);
    lab.attach("h8", 4, "10.0.2.4", 105);
    lab.pass(200);
    return lab;
  }

  /** The addresses of a host, by the plan that is in place. */
  private static List<IPAddress<?>> addresses(SubflowNetwork lab, LabHost host) {
    return StreamSupport.stream(lab.status().path("plan").path("hosts").spliterator(), false)
        .filter(
            one -> one.path("address").asText().equals(host.address() + "/" + lab.prefixLength()))
        .flatMap(one -> StreamSupport.stream(one.path("addresses").spliterator(), false))
        .<IPAddress<?>>map(address -> IPAddress.of(address.path("address").asText()))
        .toList();
  }

  /** Every address of every host reaches every address of all others in its VLAN, and no others. */
  private static void assertAllArrive(SubflowNetwork lab) {
    for (LabHost from : lab.hosts.values()) {
      for (LabHost to : lab.hosts.values()) {
        if (!from.equals(to) && from.tag() == to.tag()) {
          assertArrive(lab, from, to);
        }
      }
    }
  }

  private static void assertArrive(SubflowNetwork lab, LabHost from, LabHost to) {
    for (IPAddress<?> source : addresses(lab, from)) {
      for (IPAddress<?> target : addresses(lab, to)) {
        List<Delivery> out = lab.send(from, source, to, target);
        String what = source + " to " + target;
        assertEquals(1, out.size(), what);
        assertEquals(to.at(), out.get(0).switchId(), what);
        assertEquals(to.port(), out.get(0).port().getPortNumber(), what);
        byte[] sent = SubflowNetwork.tcp(from.mac(), to.mac(), source, target);
        assertArrayEquals(
            to.tag() == 0 ? sent : Frames.tagged(sent, to.tag()), out.get(0).frame(), what);
      }
    }
  }

  @Test
  void apply_everyAddressReachesEveryAddressOfItsVlan() {
    JsonNode status = lab.apply("{}");
    assertEquals("applied", status.path("state").asText());
    assertEquals(22, status.path("plan").path("paths").size());
    assertAllArrive(lab);
    assertTrue(lab.leftToOthers.isEmpty());
  }

  /** Only switch 3 has no hosts here. */
  private SubflowNetwork aroundCore() {
    SubflowNetwork made =
        new SubflowNetwork(
            family,
            PAPER,
            Map.of(),
            id -> id.getLong() == 3 ? SwitchProfile.NO_MASKS : profile(id));
    labs.add(made);
    made.attach("h1", 1, "10.0.0.1", 100);
    made.attach("h3", 2, "10.0.0.2", 100);
    made.attach("h5", 5, "10.0.0.3", 100);
    made.attach("h6", 4, "10.0.0.4", 100);
    made.pass(200);
    return made;
  }

  @Test
  void apply_overASwitchThatOnlyForwardsLabels_everyAddressReachesEveryAddress() {
    SubflowNetwork core = aroundCore();

    JsonNode status = core.apply("{\"method\": \"balanced\"}");

    assertEquals("applied", status.path("state").asText());
    assertTrue(
        core.rules().get(DatapathId.of(3)).size() >= 10,
        "it is on the routes: " + core.rules().get(DatapathId.of(3)));
    assertAllArrive(core);
  }

  @Test
  void plan_withAHostAtASwitchThatOnlyForwardsLabels_isRejected() {
    SubflowNetwork core = aroundCore();
    core.attach("h7", 3, "10.0.0.7", 100);

    RejectedException why = assertThrows(RejectedException.class, () -> core.plan("{}"));

    assertEquals(RejectedException.Reason.UNPROCESSABLE, why.reason());
    assertEquals("hosts." + core.host("h7").address() + ".switch", why.field().orElseThrow());
    assertTrue(why.getMessage().contains("only forwards labels"), why.getMessage());
  }

  @Test
  void hostThatMovesToASwitchThatOnlyForwardsLabels_isNamed_andOthersGoOn() {
    SubflowNetwork core = aroundCore();
    core.apply("{}");

    core.move("h6", 3);
    core.pass(200);

    String trouble = core.status().path("trouble").asText();
    assertTrue(
        trouble.contains(core.host("h6").address() + " at 00:00:00:00:00:00:00:03"), trouble);
    assertArrive(core, core.host("h1"), core.host("h5"));
    assertArrive(core, core.host("h5"), core.host("h3"));
  }

  @Test
  void switchThatTellsItsLayoutLater_getsItsRulesThen() {
    DatapathId id = DatapathId.of(3);
    lab.apply("{}");
    lab.disconnect(id);
    lab.network.table(id).clear();
    lab.hideLayout(id);
    lab.connect(id);
    lab.pass(2_000);
    assertEquals(List.of(), lab.rules().get(id));
    assertEquals("degraded", lab.status().path("state").asText());

    lab.showLayout(id);

    lab.pass(200);
    assertEquals("applied", lab.status().path("state").asText());
    assertAllArrive(lab);
  }

  @Test
  void apply_withoutVlans_hasOneSetOfRoutesForAll() {
    lab.apply("{\"vlan\": false, \"method\": \"balanced\"}");
    assertEquals(
        14,
        lab.status().path("plan").path("rules").path("switches").path(0).path("labels").asInt());
    assertAllArrive(lab);
  }

  @Test
  void apply_disjointPaths_everyAddressReachesEveryAddress() {
    JsonNode status = lab.apply("{\"paths\": \"disjoint\"}");
    assertEquals("disjoint", status.path("plan").path("paths").path(0).path("kind").asText());
    assertAllArrive(lab);
  }

  @Test
  void apply_keepsVlansApart() {
    lab.apply("{}");
    LabHost h1 = lab.host("h1");
    LabHost h7 = lab.host("h7");
    List<Delivery> out = lab.send(h1, h1.address(), h7, h7.address());
    assertEquals(List.of(), out);
    assertEquals(1, lab.leftToOthers.size());
  }

  @Test
  void apply_hostThatTheSwitchTags_sendsAndGetsFramesWithoutTag() {
    SubflowNetwork untagged = empty(Map.of());
    untagged.attach("h1", 1, "10.0.0.1", 0);
    untagged.attach("h2", 1, "10.0.0.2", 0);
    untagged.attach("h5", 5, "10.0.0.3", 0);
    untagged.pass(200);
    untagged.apply(
        """
        {"hosts": [{"id": "a", "address": "%s", "vlan": 100, "tagged_by": "switch"},
                   {"id": "b", "address": "%s", "vlan": 100, "tagged_by": "switch"},
                   {"id": "c", "address": "%s", "vlan": 100, "tagged_by": "switch"}]}
        """
            .formatted(lab.address("10.0.0.1"), lab.address("10.0.0.2"), lab.address("10.0.0.3")));
    assertAllArrive(untagged);
  }

  @Test
  void packetsForOtherNetworks_areLeftToOthers() {
    lab.apply("{}");
    LabHost h1 = lab.host("h1");
    lab.network.inject(
        h1.at(),
        h1.port(),
        Frames.tagged(
            SubflowNetwork.tcp(
                h1.mac(),
                MacAddress.of("02:00:00:00:00:99"),
                h1.address(),
                lab.address("192.0.2.1")),
            100));
    assertEquals(1, lab.leftToOthers.size());
  }

  @Test
  void hostThatComesLater_isReached_andSendsByRoutes() {
    lab.apply("{}");
    lab.attach("h9", 3, "10.0.0.9", 100);
    lab.pass(200);
    assertArrive(lab, lab.host("h1"), lab.host("h9"));
    assertEquals(3, addresses(lab, lab.host("h9")).size());
    assertAllArrive(lab);
  }

  @Test
  void hostThatIsNotOfTheRequest_isReached_andSendsAsEver() {
    LabHost h1 = lab.host("h1");
    LabHost h3 = lab.host("h3");
    lab.apply(
        String.format(
            "{\"hosts\": [{\"address\": \"%s\"}, {\"address\": \"%s\"}]}",
            h1.address(), lab.host("h5").address()));
    assertEquals(1, lab.send(h1, h1.address(), h3, h3.address()).size());
    lab.send(h3, h3.address(), h1, h1.address());
    assertEquals(1, lab.leftToOthers.size());
  }

  @Test
  void hostThatMoves_isReachedThere() {
    lab.apply("{}");
    lab.move("h5", 3);
    lab.pass(200);
    assertAllArrive(lab);
  }

  @Test
  void questionForAnAlias_isAnsweredInItsVlan() {
    lab.apply("{}");
    LabHost h1 = lab.host("h1");
    LabHost h5 = lab.host("h5");
    IPAddress<?> alias = lab.address("10.0.0.13");
    List<Delivery> out =
        lab.network.inject(
            h1.at(),
            h1.port(),
            Frames.tagged(NeighbourReplies.question(h1.mac(), h1.address(), alias), 100));
    assertEquals(1, out.size());
    assertArrayEquals(Frames.tagged(neighbourAnswer(h5, alias, h1), 100), out.get(0).frame());
  }

  private static byte[] neighbourAnswer(LabHost from, IPAddress<?> alias, LabHost to) {
    return alias instanceof IPv4Address ipv4
        ? Frames.arpReply(from.mac(), to.mac(), ipv4, to.ipv4())
        : new Ipv6Frames(from.mac(), to.mac(), (IPv6Address) alias, (IPv6Address) to.address())
            .advertisement((IPv6Address) alias, from.mac());
  }

  @Test
  void questionFromAnotherVlan_getsNoAnswerFromAnybody() {
    lab.apply("{}");
    LabHost h2 = lab.host("h2");
    List<Delivery> out =
        lab.network.inject(
            h2.at(),
            h2.port(),
            Frames.tagged(
                NeighbourReplies.question(h2.mac(), h2.address(), lab.address("10.0.0.3")), 105));
    assertEquals(List.of(), out);
    assertTrue(lab.leftToOthers.isEmpty());
  }

  @Test
  void linkThatFails_itsSubflowsGoElsewhere_andOthersStay() {
    lab.apply("{}");
    JsonNode before = lab.status().path("plan").path("paths");
    lab.cut(Topologies.link(2, 5));
    lab.pass(200);
    assertAllArrive(lab);
    JsonNode after = lab.status().path("plan").path("paths");
    for (int i = 0; i < before.size(); i++) {
      String path = before.path(i).path("switches").toString();
      boolean isHit =
          path.contains("02\",\"00:00:00:00:00:00:00:05")
              || path.contains("05\",\"00:00:00:00:00:00:00:02");
      if (isHit) {
        assertFalse(after.path(i).path("switches").equals(before.path(i).path("switches")), path);
      }
    }
    assertEquals(1, lab.status().path("replans").asInt());
  }

  @Test
  void linkThatComesBack_isUsedAgain() {
    lab.apply("{}");
    DirectedLink link = Topologies.link(2, 5);
    lab.cut(link);
    lab.pass(200);
    lab.mend(link);
    lab.pass(200);
    assertAllArrive(lab);
    assertTrue(
        StreamSupport.stream(lab.status().path("plan").path("links").spliterator(), false)
            .allMatch(one -> one.path("subflows").asInt() > 0));
  }

  /** A packet that is sent while switches have some of the new rules and not others arrives. */
  @Test
  void changeOfRoutes_atNoMomentAPacketIsLost() {
    lab.apply("{}");
    lab.holdBarriers();
    // the link itself still works: the controller only believes that it has gone
    lab.unseen(Topologies.link(2, 5));
    lab.pass(200);
    int steps = 0;
    do {
      assertAllArrive(lab);
      steps++;
    } while (lab.confirm());
    lab.pass(3_000);
    while (lab.confirm()) {
      assertAllArrive(lab);
    }
    assertTrue(steps >= 3, "the change took " + steps + " steps");
    assertAllArrive(lab);
    assertTrue(lab.leftToOthers.isEmpty());
  }

  /** The second change must not lead packets to labels that only the first one has put in place. */
  @Test
  void changeDuringAnother_atNoMomentAPacketIsLost() {
    lab.apply("{}");
    lab.holdBarriers();
    DirectedLink one = Topologies.link(2, 5);
    lab.unseen(one);
    lab.pass(200);
    assertAllArrive(lab);
    lab.unseen(Topologies.link(1, 3));
    lab.pass(200);
    do {
      assertAllArrive(lab);
    } while (lab.confirm());
    lab.pass(3_000);
    while (lab.confirm()) {
      assertAllArrive(lab);
    }
    lab.releaseBarriers();
    lab.pass(3_000);
    assertEquals("applied", lab.status().path("state").asText());
    assertEquals(2, lab.status().path("replans").asInt());
    assertEquals(lab.status().path("plan").path("rules").path("total").asInt(), lab.ruleCount());
  }

  @Test
  void rulesOfAnEarlierRoute_goAfterAWhile() {
    lab.apply("{}");
    lab.cut(Topologies.link(2, 5));
    lab.pass(10_000);
    int expected = lab.status().path("plan").path("rules").path("total").asInt();
    assertEquals(expected, lab.ruleCount());
  }

  @Test
  void clear_leavesNothing() throws RejectedException {
    lab.apply("{}");
    assertTrue(lab.ruleCount() > 100);
    assertTrue(lab.module().clear());
    lab.pass(3_000);
    assertEquals(0, lab.ruleCount());
    assertEquals("none", lab.status().path("state").asText());
    assertFalse(lab.module().clear());
  }

  @Test
  void clear_thatSwitchesHaveNotConfirmed_isInForceOnceTheyHave() throws RejectedException {
    SubflowNetwork slow = lab(Map.of("answerSeconds", "1"));
    slow.apply("{}");
    assertTrue(slow.module().isInForce());
    slow.holdBarriers();
    assertTrue(slow.module().clear());
    assertFalse(slow.module().isInForce());
    slow.releaseBarriers();
    assertTrue(slow.module().isInForce());
  }

  @Test
  void apply_again_changesNothing() {
    lab.apply("{}");
    lab.pass(5_000);
    int messages = lab.messages();
    lab.apply("{}");
    lab.pass(5_000);
    assertEquals(messages, lab.messages());
  }

  @Test
  void apply_anotherPlan_takesThePlaceOfTheFirst() {
    lab.apply("{}");
    lab.apply("{\"method\": \"paper\", \"seed\": 7}");
    lab.pass(5_000);
    assertAllArrive(lab);
    assertEquals(lab.status().path("plan").path("rules").path("total").asInt(), lab.ruleCount());
  }

  @Test
  void restart_keepsLabelsAndPackets(@TempDir Path data) {
    SubflowNetwork kept = lab(Map.of("data", data.toString()));
    kept.apply("{}");
    kept.pass(5_000);
    Object before = kept.status().path("plan");
    int count = kept.ruleCount();
    List<String> matches = matches(kept);
    kept.restart();
    assertEquals(before, kept.status().path("plan"));
    assertEquals(count, kept.ruleCount());
    assertEquals(matches, matches(kept));
    assertAllArrive(kept);
    kept.pass(60_000);
    assertEquals(0, kept.status().path("replans").asInt());
    assertAllArrive(kept);
  }

  private static List<String> matches(SubflowNetwork lab) {
    List<String> matches = new ArrayList<>();
    lab.rules()
        .forEach(
            (id, rules) ->
                rules.forEach(rule -> matches.add(id + " " + rule.match() + rule.instructions())));
    return matches.stream().sorted().toList();
  }

  @Test
  void restart_ofSwitchWithRulesOfAnEarlierPlan_takesThemAway(@TempDir Path data) throws Exception {
    SubflowNetwork kept = lab(Map.of("data", data.toString()));
    kept.apply("{}");
    kept.pass(5_000);
    Files.delete(data.resolve("mptcp.json"));
    Files.delete(data.resolve("mptcp.json.last-good"));
    kept.restart();
    assertEquals(0, kept.ruleCount());
  }

  @Test
  void planThatCannotBeRead_endsTheStart_andTheCopyRestoresIt(@TempDir Path data) throws Exception {
    SubflowNetwork kept = lab(Map.of("data", data.toString()));
    kept.apply("{}");
    kept.pass(5_000);
    Path file = data.resolve("mptcp.json");
    String spoiled = Files.readString(file).replaceFirst("\"routes\"", "\"rootes\"");
    Files.writeString(file, spoiled);

    Throwable why = assertThrows(RuntimeException.class, kept::restart);
    while (!(why instanceof FloodlightModuleException)) {
      why = why.getCause();
    }

    String message = why.getMessage();
    assertTrue(message.contains(file + " is damaged: line "), message);
    assertTrue(message.contains("has no routes"), message);
    assertEquals(spoiled, Files.readString(file));
    Files.copy(data.resolve("mptcp.json.last-good"), file, StandardCopyOption.REPLACE_EXISTING);
    SubflowNetwork restored = lab(Map.of("data", data.toString()));
    assertEquals(22, restored.status().path("plan").path("paths").size());
  }

  @Test
  void switchThatLosesItsController_isNotTakenForDead() {
    lab.apply("{}");
    JsonNode before = lab.status().path("plan").path("paths");
    lab.disconnect(DatapathId.of(3));
    for (DirectedLink link : PAPER.linksFrom(DatapathId.of(3))) {
      lab.unseen(link);
    }
    lab.pass(60_000);
    assertEquals(before, lab.status().path("plan").path("paths"));
    assertEquals("degraded", lab.status().path("state").asText());
    assertAllArrive(lab);
  }

  @Test
  void switchThatComesBackEmpty_getsItsRules() {
    lab.apply("{}");
    DatapathId id = DatapathId.of(3);
    lab.disconnect(id);
    lab.network.table(id).clear();
    lab.connect(id);
    lab.pass(2_000);
    assertAllArrive(lab);
    assertEquals("applied", lab.status().path("state").asText());
  }

  @Test
  void rulesThatSomebodyDeletes_comeBack() {
    lab.apply("{}");
    lab.network.table(DatapathId.of(3)).clear();
    lab.pass(32_000);
    assertAllArrive(lab);
  }

  @Test
  void switchThatRefusesARule_isTold() {
    lab.refuseAt(DatapathId.of(4));
    JsonNode status = lab.apply("{}");
    assertEquals("degraded", status.path("state").asText());
    assertEquals("00:00:00:00:00:00:00:04", status.path("switches_refusing").path(0).asText());
  }

  @Test
  void networkThatFallsApart_isPlannedForWhereMostHostsAre_andSaysSo() {
    lab.apply("{}");
    lab.cut(Topologies.link(1, 4));
    lab.cut(Topologies.link(4, 5));
    lab.pass(200);
    assertEquals("degraded", lab.status().path("state").asText());
    assertTrue(
        lab.status()
            .path("trouble")
            .asText()
            .contains(lab.address("10.0.2.4") + " at 00:00:00:00:00:00:00:04"));
    for (String from : List.of("h1", "h3", "h5")) {
      for (String to : List.of("h1", "h3", "h5")) {
        if (!from.equals(to)) {
          assertArrive(lab, lab.host(from), lab.host(to));
        }
      }
    }
    lab.mend(Topologies.link(4, 5));
    lab.mend(Topologies.link(1, 4));
    lab.pass(200);
    assertEquals("applied", lab.status().path("state").asText());
    assertAllArrive(lab);
  }

  @Test
  void switchThatDies_isPlannedAround() {
    lab.apply("{}");
    lab.disconnect(DatapathId.of(3));
    PAPER.linksFrom(DatapathId.of(3)).forEach(lab::cut);
    lab.pass(200);
    assertTrue(lab.status().path("trouble").asText().contains(lab.address("10.0.2.3").toString()));
    assertArrive(lab, lab.host("h1"), lab.host("h5"));
    assertArrive(lab, lab.host("h2"), lab.host("h8"));
  }

  @Test
  void picture_hasALineForEachRoute() throws Exception {
    lab.apply("{}");
    String svg = lab.module().picture().orElseThrow();
    assertTrue(svg.startsWith("<svg"));
    var document =
        javax.xml.parsers.DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new java.io.ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    // one grey line for each of seven links, and 88 link uses
    assertEquals(7 + 88, document.getElementsByTagName("line").getLength());
  }

  @Test
  void plan_changesNothing() throws RejectedException {
    JsonNode plan = lab.plan("{\"method\": \"balanced\"}");
    assertEquals(15, plan.path("maximum").asInt());
    assertEquals(12, plan.path("minimum").asInt());
    assertEquals(family.name().toLowerCase(Locale.ROOT), plan.path("family").asText());
    assertEquals(0, lab.ruleCount());
    assertEquals("none", lab.status().path("state").asText());
  }

  @Test
  void unknownHost_isNamed() {
    RejectedException refused =
        assertThrows(
            RejectedException.class,
            () ->
                lab.plan(
                    String.format(
                        "{\"hosts\": [{\"id\": \"x\", \"address\": \"%s\"}]}",
                        lab.address("10.0.0.77"))));
    assertEquals(RejectedException.Reason.UNPROCESSABLE, refused.reason());
    assertEquals("hosts.x", refused.field().orElseThrow());
    assertTrue(String.valueOf(refused.getMessage()).contains(lab.address("10.0.0.77").toString()));
  }
}
