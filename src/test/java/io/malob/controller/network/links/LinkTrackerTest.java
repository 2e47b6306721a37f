package io.malob.controller.network.links;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.UpdateOperation;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Two switches: 1/2 to 2/3 is a link, 1/1 and 2/1 are for hosts. */
class LinkTrackerTest implements LinkTracker.Outlet {
  private static final DatapathId ONE = DatapathId.of(1);
  private static final DatapathId TWO = DatapathId.of(2);
  private static final NodePortTuple A = new NodePortTuple(ONE, OFPort.of(2));
  private static final NodePortTuple B = new NodePortTuple(TWO, OFPort.of(3));
  private static final NodePortTuple HOST = new NodePortTuple(ONE, OFPort.of(1));

  private final List<NodePortTuple> probes = new ArrayList<>();
  private final List<NodePortTuple> broadcasts = new ArrayList<>();
  private final List<LDUpdate> updates = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private final List<Long> delays = new ArrayList<>();
  private boolean holdsPublications;
  private long publicationTakes;
  private long now = 1_000_000;
  private boolean connected = true;
  private final LinkTracker tracker =
      new LinkTracker(new LinkTimes(3_000, 3, 1_000), () -> now, this);

  private boolean firstPortIsBroken;
  private Set<DatapathId> refusing = Set.of();
  private int sendings;

  @Override
  public boolean probe(NodePortTuple port, ProbeKind kind) {
    if (firstPortIsBroken && port.equals(HOST)) {
      throw new IllegalStateException("no probe");
    }
    (kind == ProbeKind.LLDP ? probes : broadcasts).add(port);
    return connected;
  }

  @Override
  public Set<DatapathId> sendProbes() {
    sendings++;
    return refusing;
  }

  @Override
  public void soon(Runnable publication, long delayMillis) {
    delays.add(delayMillis);
    if (holdsPublications) {
      held.add(publication);
    } else {
      publication.run();
    }
  }

  @Test
  void changes_whileAPublicationWaits_arePublishedTogether() {
    updates.clear();
    holdsPublications = true;
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    tracker.probeArrived(ProbeKind.LLDP, B, A);
    assertEquals(0, tracker.current().links().size());
    assertEquals(1, held.size());
    held.get(0).run();
    assertEquals(2, tracker.current().links().size());
    assertEquals(2, updates.size());
  }

  @Test
  void changes_afterEachOther_arePublishedWithARestBetweenThem() {
    now += 1_000;
    delays.clear();
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    tracker.probeArrived(ProbeKind.LLDP, B, A);
    now += 20;
    tracker.portDown(ONE, OFPort.of(2));
    now += 50;
    tracker.portUp(ONE, OFPort.of(2));
    assertEquals(List.of(0L, 50L, 30L, 0L), delays);
  }

  @Test
  void change_afterAPublicationThatTookLong_waitsLongerButNotForEver() {
    now += 1_000;
    delays.clear();
    publicationTakes = 40;
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    publicationTakes = 1_000;
    tracker.probeArrived(ProbeKind.LLDP, B, A);
    tracker.portDown(ONE, OFPort.of(2));
    assertEquals(List.of(0L, 160L, 500L), delays);
  }

  @Override
  public void changed(List<LDUpdate> batch) {
    now += publicationTakes;
    updates.addAll(batch);
  }

  @BeforeEach
  void switchesComeUp() {
    tracker.switchUp(ONE, List.of(OFPort.of(1), OFPort.of(2)));
    tracker.switchUp(TWO, List.of(OFPort.of(1), OFPort.of(3)));
  }

  private void pass(long millis, boolean probesCross) {
    for (long end = now + millis; now < end; now += 100) {
      probes.clear();
      tracker.tick();
      for (NodePortTuple port : probesCross ? List.copyOf(probes) : List.<NodePortTuple>of()) {
        if (port.equals(A)) {
          tracker.probeArrived(ProbeKind.LLDP, A, B);
        } else if (port.equals(B)) {
          tracker.probeArrived(ProbeKind.LLDP, B, A);
        }
      }
    }
  }

  private long count(UpdateOperation operation) {
    return updates.stream().filter(update -> update.getOperation() == operation).count();
  }

  @Test
  void ports_ofNewSwitch_areProbedAtOnceAndSoonAgain() {
    assertEquals(4, probes.size());
    probes.clear();
    now += 200;
    tracker.tick();
    assertEquals(4, probes.size());
  }

  @Test
  void localPort_isForHosts_andIsNeverProbed() {
    NodePortTuple local = new NodePortTuple(ONE, OFPort.LOCAL);
    tracker.portUp(ONE, OFPort.LOCAL);
    updates.clear();
    tracker.tick();
    assertTrue(tracker.current().settled().contains(local));
    assertEquals(1, count(UpdateOperation.PORT_UP));
    pass(10_000, true);
    tracker.switchUp(TWO, List.of(OFPort.LOCAL));
    assertFalse(probes.contains(local) || broadcasts.contains(local), "a probe at LOCAL");
    tracker.portDown(ONE, OFPort.LOCAL);
    assertFalse(tracker.current().settled().contains(local));
  }

  @Test
  void probe_atLocalPort_makesNoLink() {
    tracker.portUp(ONE, OFPort.LOCAL);
    NodePortTuple local = new NodePortTuple(ONE, OFPort.LOCAL);
    for (ProbeKind kind : ProbeKind.values()) {
      tracker.probeArrived(kind, B, local);
      tracker.probeArrived(kind, local, B);
    }
    assertEquals(0, tracker.current().links().size());
  }

  @Test
  void localPort_ofSwitchThatIsTakenOver_staysSettledWithoutProbes() {
    LinkTracker standby = new LinkTracker(new LinkTimes(3_000, 3, 1_000), () -> now, this);
    standby.switchObserved(ONE, List.of(OFPort.LOCAL));
    standby.tick();
    probes.clear();
    standby.switchUp(ONE, List.of(OFPort.LOCAL));
    standby.tick();
    assertEquals(List.of(), probes);
    assertEquals(Set.of(new NodePortTuple(ONE, OFPort.LOCAL)), standby.current().settled());
  }

  @Test
  void probes_thatAreDueTogether_areSentTogether() {
    now += 3_000;
    probes.clear();
    sendings = 0;
    tracker.tick();
    assertEquals(4, probes.size());
    assertEquals(1, sendings);
    tracker.tick();
    assertEquals(1, sendings, "nothing is due");
  }

  @Test
  void ports_ofASwitchThatTakesNoProbe_doNotSettle() {
    tracker.switchDown(ONE);
    tracker.switchDown(TWO);
    refusing = Set.of(ONE);
    tracker.switchUp(ONE, List.of(A.getPortId(), HOST.getPortId()));
    tracker.switchUp(TWO, List.of(B.getPortId()));
    pass(5_000, false);
    assertEquals(Set.of(B), tracker.current().settled());
    refusing = Set.of();
    pass(5_000, false);
    assertEquals(Set.of(A, HOST, B), tracker.current().settled());
  }

  @Test
  void probeInOneDirection_asksForTheOtherAtOnce() {
    probes.clear();
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    assertEquals(List.of(B), probes);
    assertEquals(1, tracker.current().links().size());
  }

  @Test
  void probes_thatKeepComing_areToldOnce() {
    pass(20_000, true);
    assertEquals(2, tracker.current().links().size());
    assertEquals(2, count(UpdateOperation.LINK_UPDATED));
    assertEquals(0, count(UpdateOperation.LINK_REMOVED));
  }

  @Test
  void portThatCannotBeProbed_keepsNoOtherFromIt() {
    firstPortIsBroken = true;
    pass(20_000, true);
    assertEquals(2, tracker.current().links().size());
    assertEquals(0, count(UpdateOperation.LINK_REMOVED));
  }

  @Test
  void link_whoseProbesStayAway_goesSoThatItsPathsAreRepairedWithinThreeIntervals() {
    pass(3_000, true); // the last probes are of about 2,000
    pass(7_500, false);
    assertEquals(2, tracker.current().links().size());
    pass(500, false);
    assertEquals(0, tracker.current().links().size());
    assertEquals(2, count(UpdateOperation.LINK_REMOVED));
  }

  @Test
  void links_afterTheControllerStoodStill_liveOnUntilTheyHaveHadTimeToShowThemselves() {
    pass(3_000, true);
    now += 10_000;
    pass(8_600, false);
    assertEquals(2, tracker.current().links().size());
    pass(200, false);
    assertEquals(0, tracker.current().links().size());
  }

  @Test
  void link_whosePortGoesDown_goesAtOnceAndDoesNotComeBackByLateProbe() {
    pass(3_000, true);
    tracker.portDown(ONE, OFPort.of(2));
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    tracker.probeArrived(ProbeKind.LLDP, B, A);
    assertEquals(0, tracker.current().links().size());
    assertEquals(1, count(UpdateOperation.PORT_DOWN));
  }

  @Test
  void link_whoseSwitchGoes_goesAtOnce() {
    pass(3_000, true);
    tracker.switchDown(TWO);
    assertEquals(0, tracker.current().links().size());
    assertEquals(Set.of(ONE), tracker.current().switches());
    assertEquals(1, count(UpdateOperation.SWITCH_REMOVED));
  }

  @Test
  void port_settles_whenProbedForASecond() {
    pass(900, false);
    assertFalse(tracker.current().settled().contains(HOST));
    pass(300, false);
    assertTrue(tracker.current().settled().contains(HOST));
    assertEquals(4, count(UpdateOperation.PORT_UP));
  }

  @Test
  void port_thatCannotBeProbed_doesNotSettle() {
    tracker.switchDown(ONE);
    connected = false;
    tracker.switchUp(ONE, List.of(OFPort.of(1), OFPort.of(2)));
    pass(60_000, false);
    assertFalse(tracker.current().settled().contains(HOST));
  }

  @Test
  void port_thatLostItsLinkWhileUp_settlesOnlyAfterTheLifeOfALink() {
    pass(3_000, true);
    while (!tracker.current().links().isEmpty()) {
      pass(100, false);
    }
    assertFalse(tracker.current().settled().contains(A));
    pass(8_600, false);
    assertFalse(tracker.current().settled().contains(A));
    pass(1_000, false);
    assertTrue(tracker.current().settled().contains(A));
  }

  @Test
  void broadcasts_leavePortsWithoutACable_notWithTheFirstProbe() {
    assertEquals(List.of(), broadcasts);
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    tracker.probeArrived(ProbeKind.LLDP, B, A);
    broadcasts.clear();
    pass(3_000, true);
    assertEquals(Set.of(HOST, new NodePortTuple(TWO, OFPort.of(1))), new HashSet<>(broadcasts));
  }

  @Test
  void broadcast_thatCrosses_makesAMultihopLinkThatLivesAsLongAsOthers() {
    tracker.probeArrived(ProbeKind.BDDP, A, B);
    tracker.probeArrived(ProbeKind.BDDP, B, A);
    assertEquals(Set.of(LinkType.MULTIHOP_LINK), types());
    assertEquals(LinkType.MULTIHOP_LINK, updates.get(updates.size() - 1).getType());
    pass(8_800, false);
    assertEquals(2, tracker.current().links().size());
    pass(100, false);
    assertEquals(0, tracker.current().links().size());
    assertEquals(2, count(UpdateOperation.LINK_REMOVED));
  }

  @Test
  void lldp_thatCrossesWhereBroadcastsDid_takesTheirLinksPlace() {
    NodePortTuple other = new NodePortTuple(TWO, OFPort.of(1));
    for (NodePortTuple end : List.of(B, other)) {
      tracker.probeArrived(ProbeKind.BDDP, A, end);
      tracker.probeArrived(ProbeKind.BDDP, end, A);
    }
    assertEquals(4, tracker.current().links().size());
    tracker.probeArrived(ProbeKind.LLDP, A, B);
    tracker.probeArrived(ProbeKind.LLDP, B, A);
    tracker.probeArrived(ProbeKind.BDDP, A, B);
    tracker.probeArrived(ProbeKind.BDDP, A, other);
    assertEquals(2, tracker.current().links().size());
    assertEquals(Set.of(LinkType.DIRECT_LINK), types());
  }

  @Test
  void broadcast_thatComesBackToItsPort_isNoLink() {
    tracker.probeArrived(ProbeKind.BDDP, A, A);
    assertEquals(0, tracker.current().links().size());
  }

  private Set<LinkType> types() {
    return tracker.current().links().values().stream()
        .map(LinkInfo::getLinkType)
        .collect(Collectors.toSet());
  }

  // ---- a switch whose master is another controller of the cluster ----

  /** The ports of both switches are observed; the master's probes show the link. */
  private LinkTracker observing() {
    LinkTracker standby = new LinkTracker(new LinkTimes(3_000, 3, 1_000), () -> now, this);
    standby.switchObserved(ONE, List.of(OFPort.of(1), OFPort.of(2)));
    standby.switchObserved(TWO, List.of(OFPort.of(1), OFPort.of(3)));
    standby.probeArrived(ProbeKind.LLDP, A, B);
    standby.probeArrived(ProbeKind.LLDP, B, A);
    probes.clear();
    return standby;
  }

  @Test
  void observedSwitch_isNotProbed_andItsLinksDoNotExpire() {
    LinkTracker standby = observing();
    passObserving(standby, 60_000);
    assertEquals(List.of(), probes);
    assertEquals(2, standby.current().links().size());
  }

  @Test
  void observedPort_withoutAProbeForTheLifetimeOfALink_isSettled() {
    LinkTracker standby = observing();
    passObserving(standby, 8_500);
    assertEquals(Set.of(), standby.current().settled());
    passObserving(standby, 1_000);
    assertTrue(standby.current().settled().contains(HOST));
  }

  private void passObserving(LinkTracker standby, int millis) {
    for (int i = 0; i < millis; i += 100) {
      now += 100;
      standby.tick();
    }
  }

  @Test
  void observedPort_goesDown_takesItsLinks() {
    LinkTracker standby = observing();
    standby.portDown(ONE, OFPort.of(2));
    now += 1_000;
    standby.tick();
    assertEquals(0, standby.current().links().size());
  }

  @Test
  void switchOfWhichThisControllerBecomesMaster_keepsLinksAndIsProbedByTheNextTick() {
    LinkTracker standby = observing();
    passObserving(standby, 20_000);
    standby.switchUp(ONE, List.of(OFPort.of(1), OFPort.of(2)));
    standby.tick();
    assertEquals(Set.of(A, HOST), Set.copyOf(probes));
    assertEquals(2, standby.current().links().size());
    // its own silence counts from now on
    passObserving(standby, 8_600);
    assertEquals(2, standby.current().links().size());
    passObserving(standby, 1_000);
    assertEquals(1, standby.current().links().size(), "from the other switch, it is observed");
  }

  @Test
  void formerMaster_keepsLinks() {
    LinkTracker standby = observing();
    standby.switchUp(ONE, List.of());
    standby.switchObserved(ONE, List.of());
    passObserving(standby, 60_000);
    assertEquals(2, standby.current().links().size());
  }
}
