package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.algorithm.Attachment;
import io.malob.openflow.label.Label;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class NextHopMacTest {
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:0b");

  private static MacAddress number(long switchId, int port, MacAddress mac, int vlan) {
    return NextHopMac.of(new Attachment(DatapathId.of(switchId), OFPort.of(port), mac, vlan));
  }

  /** Rules of earlier versions and of other controllers have the same: it must never change. */
  @Test
  void number_isAlwaysTheSame() {
    assertEquals(MacAddress.of("16:30:60:41:80:5d"), number(1, 1, MacAddress.of(1), 0));
    assertEquals(MacAddress.of("16:3e:ce:d0:0a:d1"), number(1, 1, MAC, 100));
  }

  /** Where a next hop is does not matter: its number stays when it moves. */
  @Test
  void number_dependsOnMacAndVlanAlone() {
    assertEquals(number(1, 1, MAC, 100), number(2, 9, MAC, 100));
    assertNotEquals(number(1, 1, MAC, 100), number(1, 1, MAC, 0));
    assertNotEquals(number(1, 1, MAC, 100), number(1, 1, MAC, 101));
    assertNotEquals(number(1, 1, MAC, 100), number(1, 1, MacAddress.of("02:00:00:00:00:0c"), 100));
  }

  @Test
  void entries_haveAddressesOfTheirOwn_whichAreNoLabelsAndNoEdges_andOneNumber() {
    Attachment at = new Attachment(DatapathId.of(1), OFPort.of(1), MAC, 100);
    Set<MacAddress> sources = new HashSet<>();
    for (int entry = 0; entry <= NextHopMac.ENTRIES; entry++) {
      MacAddress source = NextHopMac.entering(at, entry);
      assertEquals(2, source.getBytes()[0] & 3, "unicast, locally administered");
      assertFalse(Label.isLabel(source) || EdgeMac.mayBe(source));
      assertEquals(NextHopMac.of(at), NextHopMac.numberIn(source));
      sources.add(source);
    }
    assertEquals(NextHopMac.ENTRIES + 1, sources.size());
    assertEquals(NextHopMac.of(at), NextHopMac.entering(at, 0));
    assertEquals(
        NextHopMac.entering(at, 1), NextHopMac.entering(at, 1 + NextHopMac.ENTRIES), "again");
  }

  @Test
  void numbers_ofSimilarNextHops_areDifferentSourcesOfFrames() {
    Set<MacAddress> numbers = new HashSet<>();
    int all = 0;
    for (int vlan = 0; vlan < 50; vlan++) {
      for (int host = 0; host < 200; host++, all++) {
        MacAddress number = number(1, 1, MacAddress.of(MAC.getLong() + host), vlan);
        assertEquals(0x16, number.getBytes()[0]); // unicast, locally administered
        numbers.add(number);
      }
    }
    assertEquals(all, numbers.size());
  }
}
