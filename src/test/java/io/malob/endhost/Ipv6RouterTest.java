package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Ipv6Frames;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class Ipv6RouterTest {
  private final UplinkLab lab = new UplinkLab();
  private final UplinkLab.Router router = lab.routers.get(0);

  private void configure(boolean hasIpv4) {
    router.hasIpv4 = hasIpv4;
    router.hasIpv6 = true;
    lab.uplinks.configure(lab.network());
  }

  @Test
  void router_thatAnswersSolicitations_isKnown() {
    configure(true);
    lab.pass(5);
    assertEquals(Optional.of(router.mac), lab.view(1).gatewayMac6());
    assertEquals(Optional.empty(), lab.view(2).gatewayMac6());
    assertEquals(0, lab.routers.get(1).solicitations);
  }

  @Test
  void router_isAskedEachSecond() {
    configure(true);
    lab.pass(10_000);
    assertTrue(router.solicitations >= 9 && router.solicitations <= 11);
  }

  @Test
  void uplinkWithIpv6Alone_livesAndDiesWithThatRouter() {
    configure(false);
    lab.pass(5);
    assertTrue(lab.view(1).alive());
    lab.pass(10_000);
    router.answersSolicitations = false;
    lab.pass(3_500);
    assertFalse(lab.view(1).alive());
    assertEquals(Optional.empty(), lab.view(1).gatewayMac6());
    router.answersSolicitations = true;
    lab.pass(1_100);
    assertTrue(lab.view(1).alive());
  }

  @Test
  void ipv6RouterThatFallsSilent_leavesIpv4Alive() {
    configure(true);
    lab.pass(5_000);
    router.answersSolicitations = false;
    lab.pass(7_000); // answers to probes come in: its queue might hold answers up
    assertEquals(Optional.empty(), lab.view(1).gatewayMac6());
    assertTrue(lab.view(1).alive());
  }

  @Test
  void routerThatBecomesAnother_isFollowed() {
    configure(true);
    lab.pass(2_000);
    router.mac = MacAddress.of("02:00:00:00:77:77");
    lab.pass(1_100);
    assertEquals(Optional.of(router.mac), lab.view(1).gatewayMac6());
  }

  @Test
  void portThatGoesDown_forgetsTheRouter() {
    configure(false);
    lab.pass(100);
    router.isUp = false;
    lab.uplinks.switchChanged();
    assertFalse(lab.view(1).alive());
    assertEquals(Optional.empty(), lab.view(1).gatewayMac6());
  }

  @Test
  void uplinkThatLosesIpv6_forgetsTheRouter() {
    configure(true);
    lab.pass(100);
    router.hasIpv6 = false;
    lab.uplinks.configure(lab.network());
    assertEquals(Optional.empty(), lab.view(1).gatewayMac6());
  }

  @Test
  void advertisements_ofOthers_areNotTaken() {
    configure(true);
    IPv6Address own = IPv6Address.of("2001:db8:1::2");
    IPv6Address other = IPv6Address.of("2001:db8:1::7");
    Ipv6Frames frames =
        new Ipv6Frames(MacAddress.of(7), MacAddress.of(0x0200_0000_0001L), other, own);
    assertFalse(router.arrive(frames.advertisement(other, MacAddress.of(7))));
    assertFalse(router.arrive(frames.solicitation(UplinkLab.ROUTER6)));
    assertTrue(router.arrive(frames.advertisement(UplinkLab.ROUTER6, MacAddress.of(7))));
  }
}
