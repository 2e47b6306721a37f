package io.malob.balancer.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.openflow.NextHopMac;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class VipNextHopsTest {
  private static final int VIP = AddressKey.of(IPv6Address.of("fd00::64"));
  private static final int OTHER_VIP = AddressKey.of(IPv6Address.of("fd00::65"));
  private static final int ASKER = 0x0a000001;

  private final AtomicInteger calls = new AtomicInteger();
  private final VipNextHops nextHops = new VipNextHops(calls::incrementAndGet);

  private static Attachment at(int port, long mac) {
    return new Attachment(DatapathId.of(1), OFPort.of(port), MacAddress.of(mac));
  }

  private static Map<MacAddress, Attachment> byNumber(Attachment at) {
    return Map.of(NextHopMac.of(at), at);
  }

  @Test
  void nextHop_isLearnedOnce_andFollowedWhenItMoves() {
    nextHops.learn(VIP, at(1, 1));
    nextHops.learn(VIP, at(1, 1));
    assertEquals(byNumber(at(1, 1)), nextHops.of(VIP));
    assertEquals(1, calls.get());
    assertTrue(nextHops.takeChanged());
    assertFalse(nextHops.takeChanged());

    nextHops.moved(at(2, 1));
    nextHops.moved(at(2, 2));
    assertEquals(byNumber(at(2, 1)), nextHops.of(VIP));
    assertEquals(2, calls.get());
    assertTrue(nextHops.takeChanged());
  }

  /** Its MAC address may be on several VLANs: each is a next hop of its own. */
  @Test
  void sameMac_onAnotherVlan_isAnotherNextHop() {
    Attachment tagged = new Attachment(DatapathId.of(1), OFPort.of(1), MacAddress.of(1), 100);
    Attachment movedTagged = new Attachment(DatapathId.of(2), OFPort.of(9), MacAddress.of(1), 100);
    nextHops.learn(VIP, at(1, 1));
    nextHops.learn(VIP, tagged);
    nextHops.learnAsker(VIP, ASKER, at(1, 1));

    nextHops.moved(movedTagged);

    assertEquals(
        Map.of(NextHopMac.of(at(1, 1)), at(1, 1), NextHopMac.of(tagged), movedTagged),
        nextHops.of(VIP));
    assertEquals(Map.of(ASKER, at(1, 1)), nextHops.askers(VIP));
  }

  @Test
  void asker_isLearnedOnce_andFollowedWhenItsNextHopMoves() {
    nextHops.learnAsker(VIP, ASKER, at(1, 1));
    nextHops.learnAsker(VIP, ASKER, at(1, 1));
    assertEquals(Map.of(ASKER, at(1, 1)), nextHops.askers(VIP));
    assertEquals(Map.of(), nextHops.of(VIP));
    assertEquals(1, calls.get());
    assertTrue(nextHops.takeChanged());

    nextHops.moved(at(2, 2));
    assertFalse(nextHops.takeChanged());
    nextHops.moved(at(2, 1));
    assertEquals(Map.of(ASKER, at(2, 1)), nextHops.askers(VIP));
    assertTrue(nextHops.takeChanged());
  }

  @Test
  void nextHopsAndAskers_ofOtherVips_areForgotten() {
    nextHops.learn(VIP, at(1, 1));
    nextHops.learnAsker(VIP, ASKER, at(1, 1));
    nextHops.learn(OTHER_VIP, at(1, 1));

    nextHops.retain(Set.of(OTHER_VIP));

    assertEquals(Map.of(), nextHops.of(VIP));
    assertEquals(Map.of(), nextHops.askers(VIP));
    assertEquals(byNumber(at(1, 1)), nextHops.of(OTHER_VIP));
  }

  @Test
  void nextHopsAndAskersOfAVip_areLimited_andOthersGiveWay() {
    for (int number = 0; number < VipNextHops.MAX; number++) {
      nextHops.learn(VIP, at(1, number));
      nextHops.learnAsker(VIP, number, at(1, number));
    }

    nextHops.learn(VIP, at(1, VipNextHops.MAX));
    nextHops.learnAsker(VIP, VipNextHops.MAX, at(1, VipNextHops.MAX));
    assertEquals(VipNextHops.MAX, nextHops.of(VIP).size());
    assertEquals(VipNextHops.MAX, nextHops.askers(VIP).size());
    assertTrue(nextHops.of(VIP).containsKey(NextHopMac.of(at(1, VipNextHops.MAX))));
    assertTrue(nextHops.askers(VIP).containsKey(VipNextHops.MAX));

    nextHops.learn(OTHER_VIP, at(1, VipNextHops.MAX));
    assertEquals(byNumber(at(1, VipNextHops.MAX)), nextHops.of(OTHER_VIP));
  }

  /** Those between which a next hop, or the address of one, has changed. */
  @Test
  void switches_areSharedByNextHopsThatMove() {
    Attachment elsewhere = new Attachment(DatapathId.of(2), OFPort.of(1), MacAddress.of(1));
    Attachment other = new Attachment(DatapathId.of(3), OFPort.of(1), MacAddress.of(2));
    nextHops.learn(VIP, at(1, 1));
    nextHops.learn(VIP, at(2, 1));
    assertEquals(Set.of(), nextHops.shared(VIP));

    nextHops.moved(elsewhere);
    nextHops.learnAsker(VIP, ASKER, elsewhere);
    nextHops.learnAsker(VIP, ASKER, other);

    assertEquals(
        Set.of(
            Set.of(DatapathId.of(1), DatapathId.of(2)), Set.of(DatapathId.of(2), DatapathId.of(3))),
        nextHops.shared(VIP));
    assertEquals(Set.of(), nextHops.shared(OTHER_VIP));
  }

  @Test
  void switchesOfVeryManyMoves_areBounded() {
    nextHops.learn(VIP, at(1, 1));
    for (int number = 2; number < VipNextHops.MAX_SHARED + 10; number++) {
      nextHops.learn(VIP, new Attachment(DatapathId.of(number), OFPort.of(1), MacAddress.of(1)));
    }

    assertEquals(VipNextHops.MAX_SHARED, nextHops.shared(VIP).size());
  }
}
