package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;

class AddressTextTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.1",
    "255.255.255.255, 255.255.255.255",
    "2001:DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1",
    "1:0:0:2:0:0:0:3, 1:0:0:2::3",
    "::, ::",
  })
  void address_isShownAsInRfc5952(String text, String shown) {
    assertEquals(Optional.of(shown), AddressText.parse(text).map(IPAddress::toString));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0",
        "10.0.0.256",
        "10.0.0.01",
        "10.0.0.1 ",
        "\u0661\u0660.0.0.1",
        "localhost",
        "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1",
        "2001:db8::1%eth0",
        "[2001:db8::1]",
        "2001:db8:::1",
        "1::2::3",
        "2001:db8::00001",
        "1:2:3:4:5:6:7",
      })
  void otherText_isNoAddress(String text) {
    assertEquals(Optional.empty(), AddressText.parse(text));
  }

  @Test
  void address_withPort_isUnambiguous() {
    assertEquals("10.0.0.1:80", AddressText.withPort(IPAddress.of("10.0.0.1"), 80));
    assertEquals("[2001:db8::1]:80", AddressText.withPort(IPAddress.of("2001:db8::1"), 80));
  }
}
