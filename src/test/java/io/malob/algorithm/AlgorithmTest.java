package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
    "prequal, PREQUAL",
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
        Stream.of("RR", "WRR", "LC", "CPU", "P2C", "PREQUAL")
            .flatMap(server -> Stream.of("SPH", "SPL", "HTP").map(path -> server + "+" + path)),
        Stream.of("SL-PS", "HT-PS", "PCT", "PREQUAL"));
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

  /** The one table of all rules that people read; everything else asks the controller. */
  @Test
  void documentation_hasEachRule() throws IOException {
    Set<String> rules = new TreeSet<>(Set.of("AUTO")); // what PCT is also called
    for (String name : Algorithm.names()) {
      rules.addAll(Splitter.on('+').splitToList(name));
    }
    Set<String> documented = new TreeSet<>();
    List<String> lines = Files.readAllLines(Path.of("docs/reference/algorithms.md"));
    for (String line :
        lines.subList(
            lines.indexOf("| rule | chooses | based on | if unknown |") + 2, lines.size())) {
      if (!line.startsWith("| ")) {
        break;
      }
      String names = Splitter.on('|').splitToList(line).get(1).replace("`", "");
      for (String name : Splitter.on(',').trimResults().split(names)) {
        documented.add(name);
      }
    }
    assertEquals(rules, documented);
  }

  @Test
  void default_isThatOfTheThesis() {
    assertEquals(Algorithm.named("1"), Optional.of(Algorithm.DEFAULT));
  }

  @ParameterizedTest
  @CsvSource({
    "WRR+SPH, WRR, SPH",
    "CPU+HTP, CPU, HTP",
    "SL-PS, SL-PS, SL-PS",
    "PREQUAL, PREQUAL, PREQUAL"
  })
  void rules_ofName_areItsParts(String name, String serverRule, String pathRule) {
    Algorithm algorithm = Algorithm.named(name).orElseThrow();
    assertEquals(serverRule, algorithm.serverRule());
    assertEquals(pathRule, algorithm.pathRule());
  }
}
