package io.malob.module;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
  private static final List<String> NAMES =
      List.of("a.Core.port", "a.Core.host", "b.Core.port", "b.Rest.idleTimeoutTcp");

  @ParameterizedTest
  @CsvSource({
    "a.Core.prt, a.Core.port",
    "a.Core.PORT, a.Core.port",
    "b.Cor.port, b.Core.port",
    "a.Core.hots, a.Core.host",
    "b.Rest.idelTimeOutTPC, b.Rest.idleTimeoutTcp"
  })
  void misspelledName_isFound(String wrong, String right) {
    assertEquals(Optional.of(right), NearestName.of(wrong, NAMES));
  }

  @Test
  void otherWord_hasNone() {
    assertEquals(Optional.empty(), NearestName.of("a.Core.colour", NAMES));
    assertEquals(Optional.empty(), NearestName.of("x", List.of()));
  }
}
