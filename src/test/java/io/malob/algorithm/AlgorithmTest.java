package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AlgorithmTest {

  @ParameterizedTest
  @CsvSource({
    "1, SL-PS",
    "2, HT-PS",
    "3, CPU+SPL",
    "RR, RR+SPH",
    "WRR, WRR+SPH",
    "LC, LC+SPH",
    "CPU, CPU+SPL",
    "ROUND_ROBIN, RR+SPH",
    "WEIGHTED_RR, WRR+SPH",
    "rr+sph, RR+SPH",
    "sl-ps, SL-PS",
    "weighted_rr, WRR+SPH",
    "'  lc  ', LC+SPH",
    "' 3 ', CPU+SPL",
  })
  void named_ofAliasOrCase_isTheAlgorithm(String text, String name) {
    assertEquals(name, Algorithm.named(text).orElseThrow().name());
  }

  static Stream<String> allNames() {
    return Stream.concat(
        Stream.of("RR", "WRR", "LC", "CPU", "P2C")
            .flatMap(server -> Stream.of("SPH", "SPL", "HTP").map(path -> server + "+" + path)),
        Stream.of("SL-PS", "HT-PS"));
  }

  @ParameterizedTest
  @MethodSource("allNames")
  void named_ofEveryName_keepsName(String name) {
    assertEquals(Optional.of(new Algorithm(name)), Algorithm.named(name));
    assertTrue(Algorithm.names().contains(name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "0",
        "4",
        "01",
        "SPH",
        "SPL",
        "HTP",
        "RR+",
        "+SPH",
        "RR+SPH+SPH",
        "RR SPH",
        "RR-SPH",
        "SL-PS+SPH",
        "RR+SL-PS",
        "LEAST",
        "random",
        "RR+RR"
      })
  void named_ofAnythingElse_isEmpty(String text) {
    assertEquals(Optional.empty(), Algorithm.named(text));
  }

  @Test
  void named_inTurkishLocale_isTheSame() {
    // the small letter i has another capital there
    java.util.Locale before = java.util.Locale.getDefault();
    java.util.Locale.setDefault(java.util.Locale.forLanguageTag("tr"));
    try {
      assertEquals("WRR+SPH", Algorithm.named("weighted_rr").orElseThrow().name());
    } finally {
      java.util.Locale.setDefault(before);
    }
  }

  @Test
  void default_isThatOfTheThesis() {
    assertEquals(Algorithm.named("1"), Optional.of(Algorithm.DEFAULT));
  }

  @ParameterizedTest
  @CsvSource({"WRR+SPH, WRR, SPH", "CPU+HTP, CPU, HTP", "SL-PS, SL-PS, SL-PS"})
  void rules_ofName_areItsParts(String name, String serverRule, String pathRule) {
    Algorithm algorithm = Algorithm.named(name).orElseThrow();
    assertEquals(serverRule, algorithm.serverRule());
    assertEquals(pathRule, algorithm.pathRule());
  }
}
