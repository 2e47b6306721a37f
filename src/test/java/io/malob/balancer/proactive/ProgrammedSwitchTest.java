package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Server;
import io.malob.balancer.reroute.RulePacer;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.RuleSender;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.TableLayout;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.ReplyRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.bucket.TrackedRules;
import io.malob.openflow.label.Label;
import io.malob.testing.Servers;
import io.malob.testing.SwitchProfile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModCommand;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;

class ProgrammedSwitchTest {
  private static final OFFactory FACTORY = FakeSwitches.FACTORY;
  private static final SwitchTables TABLES = new SwitchTables(FACTORY, TableLayout.FOUR_TABLES);
  private static final BucketTraffic WEB =
      new BucketTraffic(7, IPv4Address.of("10.0.0.100"), 0, IpProtocol.TCP, 80);
  private static final Server MEMBER = Servers.of(1, 1);

  private final FakeSwitches switches = new FakeSwitches(1);
  private final RuleSender ruleSender = new RuleSender(switches);
  private final RulePacer pacer = new RulePacer(ruleSender, Runnable::run, () -> 0);
  private final ProgrammedSwitch sw = new ProgrammedSwitch(DatapathId.of(1), pacer);
  private int seen;

  private static OFFlowAdd toNextHop(@Nullable Label label) {
    Onward next =
        label == null ? Onward.to(MEMBER.at()) : Onward.by(label, OFPort.of(7), MEMBER.at());
    return ReplyRules.toNextHop(TABLES, WEB, next);
  }

  private static OFFlowAdd translate(Server member) {
    return ReplyRules.translate(FACTORY, WEB, member, Counted.ALL);
  }

  private static OFFlowStatsEntry found(OFFlowAdd rule) {
    return FACTORY
        .buildFlowStatsEntry()
        .setTableId(rule.getTableId())
        .setPriority(rule.getPriority())
        .setCookie(rule.getCookie())
        .setMatch(rule.getMatch())
        .setInstructions(rule.getInstructions())
        .build();
  }

  private void set(OFFlowAdd... rules) {
    sw.set("owner", List.of(rules), TABLES, 0);
  }

  /** The commands that are sent now. */
  private List<OFFlowModCommand> flush() {
    sw.flush(ruleSender, Runnable::run);
    List<OFFlowModCommand> all =
        switches.get(1).messages().stream()
            .map(message -> ((OFFlowMod) message).getCommand())
            .toList();
    List<OFFlowModCommand> added = all.subList(seen, all.size());
    seen = all.size();
    return added;
  }

  @Test
  void set_newRules_addsThem_andTheSameAgain_sendsNothing() {
    set(toNextHop(null), translate(MEMBER));
    assertEquals(List.of(OFFlowModCommand.ADD, OFFlowModCommand.ADD), flush());

    set(toNextHop(null), translate(MEMBER));
    assertEquals(List.of(), flush());
    assertEquals(2, sw.size());
  }

  @Test
  void set_otherActions_modifies_soThatCountersGoOn() {
    set(toNextHop(null));
    flush();

    set(toNextHop(new Label(5)));

    assertEquals(List.of(OFFlowModCommand.MODIFY_STRICT), flush());
    assertEquals(
        toNextHop(new Label(5)).getInstructions(),
        switches.get(1).table().rules().get(0).instructions());
  }

  /** The actions that track are not read, so they may be those of another setting. */
  @Test
  void set_trackingRuleOfAnEarlierRun_modifiesIt() {
    switches.get(1).table().become(SwitchProfile.OPEN_VSWITCH);
    BucketTraffic tracked =
        new BucketTraffic(7, IPv4Address.of("10.0.0.100"), 0, IpProtocol.TCP, 80, 9);
    OFFlowAdd rule = TrackedRules.replies(FACTORY, tracked, MEMBER).get(0);
    OFFlowAdd asRead = rule.createBuilder().setInstructions(List.of()).build();
    assertTrue(sw.found(found(asRead), true, new HashSet<>()));

    set(rule);

    assertEquals(List.of(OFFlowModCommand.MODIFY_STRICT), flush());
  }

  private void reroute(OFFlowAdd... rules) {
    sw.reroute("owner", List.of(rules), TABLES, 0);
  }

  @Test
  void reroute_otherActions_waitForTheirTurn() {
    set(toNextHop(null));
    flush();

    reroute(toNextHop(new Label(5)));
    assertEquals(List.of(), flush());
    assertTrue(sw.isWaiting());
    pacer.tick();

    assertEquals(List.of(OFFlowModCommand.MODIFY_STRICT), flush());
    assertFalse(sw.isWaiting());
    assertEquals(
        toNextHop(new Label(5)).getInstructions(),
        switches.get(1).table().rules().get(0).instructions());
  }

  @Test
  void reroute_andBackOrWithoutTheRule_sendsNothingLater() {
    set(toNextHop(null));
    flush();
    reroute(toNextHop(new Label(5)));
    reroute(toNextHop(null));
    pacer.tick();
    assertEquals(List.of(), flush());

    reroute(toNextHop(new Label(5)));
    set();
    pacer.tick();

    assertEquals(List.of(OFFlowModCommand.DELETE_STRICT), flush());
  }

  @Test
  void disconnected_sendsWhatWaits_onceTheSwitchHasBeenRead() {
    set(toNextHop(null));
    flush();
    reroute(toNextHop(new Label(5)));

    sw.disconnected();
    pacer.tick();
    assertEquals(List.of(), flush());
    Set<RuleKey> read = new HashSet<>();
    assertTrue(sw.found(found(toNextHop(null)), false, read));
    sw.complete(read, 0, TABLES.layout(), 0);

    assertEquals(List.of(OFFlowModCommand.ADD), flush());
    assertEquals(
        toNextHop(new Label(5)).getInstructions(),
        switches.get(1).table().rules().get(0).instructions());
  }

  /** Its owner makes rules for the other layout. */
  @Test
  void complete_inAnotherLayout_sendsNoRuleOfTheFormer() {
    set(translate(MEMBER));
    flush();

    sw.complete(Set.of(), 0, TableLayout.ONE_TABLE, 0);
    assertEquals(List.of(), flush());
    sw.set(
        "owner",
        List.of(ReplyRules.translateToController(FACTORY, WEB, MEMBER)),
        new SwitchTables(FACTORY, TableLayout.ONE_TABLE),
        0);

    assertEquals(List.of(OFFlowModCommand.ADD), flush());
  }

  @Test
  void set_anotherCookie_addsTheRuleAnew() {
    set(translate(MEMBER));
    flush();
    Server successor =
        new Server(9, MEMBER.address(), MEMBER.port(), MEMBER.weight(), MEMBER.at(), MEMBER.load());

    set(translate(successor));

    assertEquals(List.of(OFFlowModCommand.ADD), flush());
    assertEquals(translate(successor).getCookie(), switches.get(1).table().rules().get(0).cookie());
  }

  @Test
  void set_fewerRules_deletesTheOthers_andOnlyThoseOfTheOwner() {
    set(translate(MEMBER), toNextHop(null));
    sw.set("other", List.of(translate(Servers.of(2, 1))), TABLES, 0);
    flush();

    set(toNextHop(null));

    assertEquals(List.of(OFFlowModCommand.DELETE_STRICT), flush());
    assertEquals(2, switches.get(1).table().rules().size());
    assertEquals(2, sw.size());
  }

  /** The switch is away: what it has is removed when it is read. */
  @Test
  void forget_sendsNothing_andTheRulesDoNotBelongAnyMore() {
    set(translate(MEMBER));
    flush();

    sw.forget("owner");

    assertEquals(List.of(), flush());
    assertEquals(0, sw.size());
    assertFalse(sw.found(found(translate(MEMBER)), false, new HashSet<>()));
  }

  @Test
  void complete_sendsRulesThatAreMissingAgain_butNotRecentOnes() {
    sw.set("owner", List.of(translate(MEMBER)), TABLES, 100);
    flush();
    Set<RuleKey> read = new HashSet<>();
    assertTrue(sw.found(found(translate(MEMBER)), false, read));
    sw.complete(read, 100, TABLES.layout(), 200);
    assertEquals(List.of(), flush());

    sw.complete(Set.of(), 99, TABLES.layout(), 200);
    assertEquals(List.of(), flush());
    sw.complete(Set.of(), 100, TABLES.layout(), 200);
    assertEquals(List.of(OFFlowModCommand.ADD), flush());
  }

  @Test
  void found_withOtherActions_isSentAgain() {
    set(toNextHop(null));
    flush();
    Set<RuleKey> read = new HashSet<>();

    assertTrue(sw.found(found(toNextHop(new Label(5))), false, read));
    sw.complete(read, 0, TABLES.layout(), 0);

    assertEquals(List.of(OFFlowModCommand.ADD), flush());
  }

  @Test
  void orphans_areTakenOver_changed_orRemoved() {
    for (OFFlowAdd rule : List.of(translate(MEMBER), toNextHop(new Label(5)))) {
      assertFalse(sw.found(found(rule), false, new HashSet<>()));
      assertTrue(sw.found(found(rule), true, new HashSet<>()));
      assertTrue(sw.found(found(rule), false, new HashSet<>()));
    }
    assertTrue(sw.found(found(translate(Servers.of(2, 1))), true, new HashSet<>()));
    assertTrue(sw.usesFoundLabel(new Label(5)));
    assertFalse(sw.usesFoundLabel(new Label(6)));

    set(translate(MEMBER), toNextHop(new Label(6)));

    assertEquals(List.of(OFFlowModCommand.MODIFY_STRICT), flush());
    assertFalse(sw.usesFoundLabel(new Label(5)));
    sw.removeOrphans(FACTORY);
    assertEquals(List.of(OFFlowModCommand.DELETE_STRICT), flush());
    sw.removeOrphans(FACTORY);
    assertEquals(List.of(), flush());
  }

  @Test
  void reset_sendsAllAgain() {
    set(translate(MEMBER), toNextHop(null));
    flush();

    sw.reset(TABLES.layout(), 0);

    assertEquals(List.of(OFFlowModCommand.ADD, OFFlowModCommand.ADD), flush());
  }

  @Test
  void isSettled_whenTheSwitchHasConfirmed() {
    switches.holdBarriers();
    set(translate(MEMBER));
    assertFalse(sw.isSettled());
    flush();
    assertFalse(sw.isSettled());

    switches.get(1).answerBarrier();

    assertTrue(sw.isSettled());
  }
}
