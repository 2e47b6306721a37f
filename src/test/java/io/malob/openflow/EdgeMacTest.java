package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;

class EdgeMacTest {
  private static MacAddress of(String switchId) {
    return EdgeMac.of(DatapathId.of(switchId));
  }

  @Test
  void address_ofASwitch_showsItsDatapathId() {
    assertEquals(MacAddress.of("0e:00:00:00:00:01"), of("00:00:00:00:00:00:00:01"));
    assertEquals(MacAddress.of("0e:12:34:56:78:9a"), of("00:00:00:12:34:56:78:9a"));
  }

  /** A datapath id is a MAC address and 16 bits that the maker of the switch chooses. */
  @Test
  void address_dependsOnAllBytesOfTheDatapathId() {
    assertEquals(MacAddress.of("0e:00:00:01:00:00"), of("01:00:00:00:00:00:00:00"));
    assertEquals(MacAddress.of("0e:12:34:57:7b:9e"), of("01:02:03:12:34:56:79:9d"));
    assertNotEquals(of("00:00:00:00:00:00:00:01"), of("00:01:00:00:00:00:00:01"));
    assertNotEquals(of("00:00:00:00:00:00:00:01"), of("00:00:01:00:00:00:00:01"));
  }

  @Test
  void address_isUnicastAndLocallyAdministered_alsoOfTheHighestId() {
    MacAddress highest = of("ff:ff:ff:ff:ff:ff:ff:ff");
    assertEquals(0x0e, highest.getBytes()[0]);
    assertEquals(MacAddress.of("0e:ff:ff:00:00:00"), highest);
  }
}
