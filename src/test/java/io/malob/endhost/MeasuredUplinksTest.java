package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Frames;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class MeasuredUplinksTest {
  private final UplinkLab lab = new UplinkLab();

  private void configure() {
    lab.uplinks.configure(lab.network());
  }

  /** How many milliseconds it takes until an uplink is alive, or is not. */
  private long millisUntil(int number, boolean alive) {
    for (long millis = 0; millis < 10_000; millis += 5) {
      if (lab.view(number).alive() == alive) {
        return millis;
      }
      lab.pass(5);
    }
    throw new AssertionError("never " + alive);
  }

  @Test
  void view_beforeAnyConfiguration_isEmpty() {
    lab.pass(1_000);
    assertEquals(Optional.empty(), lab.uplinks.view());
  }

  @Test
  void uplink_whoseRouterAnswers_isAliveAtOnce() {
    configure();
    assertFalse(lab.view(1).alive());
    lab.pass(5);
    assertTrue(lab.view(1).alive() && lab.view(2).alive());
    assertEquals(Optional.of(lab.routers.get(0).mac), lab.view(1).gatewayMac());
    assertEquals(Optional.of(OFPort.of(9)), lab.views.get(0).insidePort());
    assertEquals(List.of(1, 2), List.of(lab.view(1).number(), lab.view(2).number()));
  }

  @Test
  void uplink_withoutAddress_isNotAliveAndAsksNothing() {
    Uplink without =
        new Uplink(
            "eth1",
            "eth1",
            MacAddress.of(1),
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    lab.uplinks.configure(UplinkLab.network(List.of(without)));
    lab.pass(3_000);
    assertFalse(lab.view(1).alive());
    assertEquals(0, lab.routers.get(0).arps + lab.routers.get(0).echoes);
  }

  @Test
  void capacities_ofIdleUplinks_areKnownWithinFiveSecondsForOnePercent() {
    lab.routers.get(0).bps = 2e6;
    lab.routers.get(1).bps = 20e6;
    configure();
    lab.pass(5_500);
    for (int number = 1; number <= 2; number++) {
      double bps = lab.routers.get(number - 1).bps;
      assertEquals(bps, (double) lab.view(number).capacityBps(), 0.1 * bps);
      assertEquals("probes", lab.view(number).capacitySource());
      assertTrue(lab.routers.get(number - 1).probedBytes * 8 < 0.012 * bps * 5.5);
      assertTrue(lab.view(number).roundTripNanos() > 50_000);
    }
  }

  @Test
  void routerThatFallsSilent_isDeadWithinTwoSecondsWhateverWasCarriedBefore() {
    lab.routers.get(0).otherBps = 5e6;
    configure();
    lab.pass(7_300);
    lab.routers.get(0).answersArp = false;
    lab.routers.get(0).answersEchoes = false;
    lab.routers.get(0).otherBps = 0;
    long millis = millisUntil(1, false);
    assertTrue(millis >= 1_300 && millis <= 2_000, millis + " ms");
    assertEquals(0, lab.view(1).capacityBps());
    assertTrue(lab.view(2).alive());
  }

  @Test
  void routerThatOwesAnAnswer_isSilentLongBeforeItIsDead() {
    lab.routers.get(0).otherBps = 5e6;
    configure();
    lab.pass(7_300);
    assertFalse(lab.view(1).silent());
    lab.routers.get(0).answersArp = false;
    lab.routers.get(0).answersEchoes = false;
    lab.routers.get(0).otherBps = 100_000; // what was queued before, very slowly
    long millis = 0;
    while (!lab.view(1).silent()) {
      lab.pass(5);
      millis += 5;
      assertTrue(millis < 900, millis + " ms");
    }
    assertTrue(lab.view(1).alive());
    assertFalse(lab.view(2).silent());
    lab.routers.get(0).answersEchoes = true;
    lab.pass(300);
    assertFalse(lab.view(1).silent());
  }

  @Test
  void capacity_ofARouterThatComesBack_isMeasuredAnew() {
    lab.routers.get(0).bps = 2e6;
    configure();
    lab.pass(6_000);
    assertEquals(2e6, (double) lab.view(1).capacityBps(), 0.2e6);
    lab.routers.get(0).answersArp = false;
    lab.routers.get(0).answersEchoes = false;
    lab.pass(6_000);
    assertFalse(lab.view(1).alive());
    lab.routers.get(0).answersArp = true;
    lab.routers.get(0).answersEchoes = true;
    millisUntil(1, true);
    assertEquals("unknown", lab.view(1).capacitySource());
  }

  @Test
  void uplinksThatCarryNothing_areAskedSeldom_andMissedWithinTwoSeconds() {
    configure();
    lab.pass(40_000);
    assertEquals(250, lab.uplinks.pauseMillis());
    int echoes = lab.routers.get(0).echoes;
    lab.pass(10_000);
    assertEquals(20, lab.routers.get(0).echoes - echoes, 2);

    lab.routers.get(0).answersArp = false;
    lab.routers.get(0).answersEchoes = false;
    long millis = millisUntil(1, false);
    assertTrue(millis <= 2_000, millis + " ms");
    assertTrue(lab.view(2).alive());
  }

  @Test
  void switchWhoseComingWasMissed_isSeenAllTheSame() {
    lab.isConnected = false;
    configure();
    lab.pass(100);
    lab.isConnected = true;
    assertTrue(millisUntil(1, true) < 3_000);
  }

  @Test
  void linkWhoseQueueHoldsAnswersUp_isAliveAsLongAsItCarries() {
    configure();
    lab.pass(5_000);
    lab.routers.get(0).otherBps = 5e6;
    lab.pass(1_100);
    lab.routers.get(0).answersArp = false;
    lab.routers.get(0).answersEchoes = false;
    lab.pass(3_000);
    assertTrue(lab.view(1).alive());
    assertTrue(millisUntil(1, false) < 3_000);
  }

  @Test
  void deadRouter_thatAnswersAgain_isAliveWithinASecond() {
    configure();
    lab.pass(1_000);
    lab.routers.get(0).answersArp = false;
    lab.routers.get(0).answersEchoes = false;
    lab.pass(5_000);
    assertFalse(lab.view(1).alive());
    lab.routers.get(0).answersArp = true;
    assertTrue(millisUntil(1, true) < 1_000);
  }

  @Test
  void routerThatAnswersNoEchoes_isAliveAndOfUnknownCapacity() {
    lab.routers.get(0).answersEchoes = false;
    lab.routers.get(0).otherBps = 5e6;
    configure();
    for (int second = 1; second < 30; second++) {
      lab.pass(1_000);
      assertTrue(lab.view(1).alive(), "second " + second);
      assertEquals("unknown", lab.view(1).capacitySource());
    }
  }

  @Test
  void routerThatBecomesAnother_isFollowed() {
    configure();
    lab.pass(1_000);
    lab.routers.get(0).mac = MacAddress.of(0x0200_0000_0777L);
    lab.pass(10_500);
    assertEquals(Optional.of(lab.routers.get(0).mac), lab.view(1).gatewayMac());
  }

  @Test
  void arp_isAskedEverySecondUntilItIsAnsweredAndRarelyThen() {
    lab.routers.get(0).answersArp = false;
    configure();
    lab.pass(4_900);
    assertEquals(5, lab.routers.get(0).arps);
    assertEquals(1, lab.routers.get(1).arps);
    lab.pass(10_000);
    assertEquals(2, lab.routers.get(1).arps);
  }

  @Test
  void portThatGoesDown_isDeadAtOnceAndComesBack() {
    configure();
    lab.pass(6_000);
    lab.routers.get(0).isUp = false;
    lab.uplinks.switchChanged();
    assertFalse(lab.view(1).alive());
    lab.routers.get(0).isUp = true;
    lab.uplinks.switchChanged();
    lab.pass(10);
    assertTrue(lab.view(1).alive());
    assertEquals("unknown", lab.view(1).capacitySource());
  }

  @Test
  void switchThatGoes_leavesNoUplinkAlive() {
    configure();
    lab.pass(1_000);
    lab.isConnected = false;
    lab.uplinks.switchGone();
    assertFalse(lab.view(1).alive() || lab.view(2).alive());
    assertEquals(Optional.empty(), lab.uplinks.view().orElseThrow().insidePort());
    lab.isConnected = true;
    lab.uplinks.switchChanged();
    lab.pass(1_100);
    assertTrue(lab.view(1).alive() && lab.view(2).alive());
  }

  @Test
  void rates_areOfTheLastSecond() {
    lab.routers.get(1).otherBps = 3e6;
    configure();
    lab.pass(5_000);
    assertEquals(3e6, (double) lab.view(2).rateBps(), 0.1e6);
    assertTrue(lab.view(1).rateBps() < 0.15e6);
  }

  @Test
  void recordedCapacity_winsUntilItIsTakenBack() {
    configure();
    lab.pass(6_000);
    lab.uplinks.record("eth1", OptionalLong.of(3_000_000));
    assertEquals(3_000_000, lab.view(1).capacityBps());
    assertEquals("recorded", lab.view(1).capacitySource());
    lab.uplinks.record("eth1", OptionalLong.of(0));
    assertFalse(lab.view(1).alive());
    lab.uplinks.record("eth1", OptionalLong.empty());
    assertTrue(lab.view(1).alive());
    assertEquals("probes", lab.view(1).capacitySource());
    HostView before = lab.uplinks.view().orElseThrow();
    lab.uplinks.record("eth3", OptionalLong.of(1));
    assertEquals(before, lab.uplinks.view().orElseThrow());
  }

  @Test
  void configuration_thatIsSentAgain_changesNothing() {
    configure();
    lab.pass(6_000);
    int before = lab.views.size();
    configure();
    assertEquals(before, lab.views.size());
    assertEquals("probes", lab.view(1).capacitySource());
  }

  @Test
  void uplinkWithAnotherAddress_isMeasuredAnewUnderItsNumber() {
    configure();
    lab.pass(6_000);
    Uplink eth1 = lab.routers.get(0).uplink();
    Uplink renewed =
        new Uplink(
            eth1.name(),
            eth1.port(),
            eth1.mac(),
            0,
            Optional.of(IPv4Address.of("10.0.1.77")),
            eth1.gatewayIpv4(),
            Optional.empty(),
            Optional.empty());
    lab.uplinks.configure(UplinkLab.network(List.of(lab.routers.get(1).uplink(), renewed)));
    UplinkView moved = lab.uplinks.view().orElseThrow().uplinks().get(1);
    assertEquals(1, moved.number());
    assertFalse(moved.alive());
    lab.pass(10);
    assertTrue(lab.uplinks.view().orElseThrow().uplinks().get(1).alive());
    assertEquals("probes", lab.view(1).capacitySource(), "the other uplink's is kept");
  }

  @Test
  void clear_forgetsTheNetwork() {
    configure();
    lab.pass(1_000);
    lab.uplinks.clear();
    assertEquals(Optional.empty(), lab.uplinks.view());
    int before = lab.routers.get(0).echoes;
    lab.pass(2_000);
    assertEquals(before, lab.routers.get(0).echoes);
  }

  @Test
  void packetsOfOthers_areNotTaken() {
    configure();
    lab.pass(1_000);
    IPv4Address router = lab.routers.get(0).address();
    IPv4Address host = IPv4Address.of("10.0.1.2");
    MacAddress mac = MacAddress.of(5);
    for (byte[] frame :
        List.of(
            Frames.echo(0, mac, mac, router, host, 0x12340001),
            Frames.echo(8, mac, mac, router, host, 0x12340001),
            Frames.arpRequest(mac, router, host),
            Frames.tcp(mac, mac, router, 80, host, 5_000, 0x12))) {
      assertFalse(lab.routers.get(0).arrive(frame));
    }
  }
}
