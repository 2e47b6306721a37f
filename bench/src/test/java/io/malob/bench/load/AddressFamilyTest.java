package io.malob.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.IPAddress;

class AddressFamilyTest {
  private static final int NUMBER = 0xac10_0001;

  @Test
  void text_isOfTheFamily() {
    assertEquals("172.16.0.1", AddressFamily.IPV4.text(NUMBER));
    assertEquals("fd00::ac10:1", AddressFamily.IPV6.text(NUMBER));
  }

  @ParameterizedTest
  @EnumSource
  void number_isReadAsItWasWritten(AddressFamily family) {
    byte[] bytes = new byte[20];
    Arrays.fill(bytes, (byte) 0xff);
    family.write(bytes, 2, NUMBER);
    assertEquals(NUMBER, family.read(bytes, 2));
    assertEquals(NUMBER, family.number(family.address(NUMBER)));
  }

  @Test
  void ipv6AddressOutsideThePrefix_hasNoNumber() {
    for (String foreign : new String[] {"fd01::ac10:1", "fd00::1:ac10:1", "fd00:1::ac10:1"}) {
      assertEquals(
          AddressFamily.FOREIGN, AddressFamily.IPV6.number(IPAddress.of(foreign)), foreign);
    }
  }

  @ParameterizedTest
  @EnumSource
  void addressOfTheOtherFamily_hasNoNumber(AddressFamily family) {
    for (AddressFamily other : AddressFamily.values()) {
      assertEquals(
          other == family ? NUMBER : AddressFamily.FOREIGN, family.number(other.address(NUMBER)));
    }
  }
}
