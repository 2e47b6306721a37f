package io.malob.openflow.label;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.MacAddress;

class LabelTest {

  @ParameterizedTest
  @CsvSource({
    "1, 0a:4d:4c:00:00:01",
    "255, 0a:4d:4c:00:00:ff",
    "8388608, 0a:4d:4c:80:00:00",
    "16777215, 0a:4d:4c:ff:ff:ff"
  })
  void mac_ofId_isPrefixAndId(int id, String mac) {
    assertEquals(MacAddress.of(mac), new Label(id).mac());
    assertTrue(Label.isLabel(new Label(id).mac()));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 0x1000000, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void label_withIdOutOfBounds_isRefused(int id) {
    assertThrows(IllegalArgumentException.class, () -> new Label(id));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0a:4d:4d:00:00:01",
        "0a:4d:4b:ff:ff:ff",
        "0b:4d:4c:00:00:01",
        "8a:4d:4c:00:00:01",
        "00:00:00:0a:4d:4c",
        "ff:ff:ff:ff:ff:ff",
        "00:00:00:00:00:00"
      })
  void isLabel_ofOtherAddress_isFalse(String mac) {
    assertFalse(Label.isLabel(MacAddress.of(mac)));
  }
}
