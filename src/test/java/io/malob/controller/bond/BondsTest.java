package io.malob.controller.bond;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** How the setting names bonds. */
class BondsTest {
  private static final DatapathId S1 = DatapathId.of(1);

  @Test
  void bonds_areReadInAnyNumber() {
    Bonds bonds = Bonds.parse("00:00:00:00:00:00:00:01/1+2, 00:00:00:00:00:00:00:02/4+3+5 lacp");
    assertEquals(
        ImmutableList.of(new Bond(S1, ImmutableList.of(OFPort.of(1), OFPort.of(2)), false)),
        bonds.of(S1));
    Bond second = bonds.of(DatapathId.of(2)).get(0);
    assertTrue(second.isLacp());
    assertEquals(OFPort.of(4), second.first());
    assertTrue(Bonds.parse("").isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "00:00:00:00:00:00:00:01/1",
        "00:00:00:00:00:00:00:01/1+0",
        "00:00:00:00:00:00:00:01/1+65535",
        "00:00:00:00:00:00:00:01/1+2 lcap",
        "00:00:00:00:00:00:00:01/1+1",
        "00:00:00:00:00:00:00:01/1+2,00:00:00:00:00:00:00:01/2+3",
        "01:/1+2"
      })
  void anythingElse_isRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Bonds.parse(text));
  }
}
