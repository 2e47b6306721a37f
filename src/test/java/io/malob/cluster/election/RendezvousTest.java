package io.malob.cluster.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class RendezvousTest {
  private static final int SWITCHES = 100_000;
  private static final Map<String, Integer> WEIGHTS = Map.of("a", 1, "b", 2, "c", 5);

  private static String first(List<String> controllers, long number) {
    return controllers.stream()
        .max(
            Comparator.comparingDouble(
                name -> Rendezvous.score(name, WEIGHTS.get(name), DatapathId.of(number))))
        .orElseThrow();
  }

  @Test
  void shares_areProportionalToWeights() {
    Map<String, Long> shares =
        LongStream.range(0, SWITCHES)
            .mapToObj(number -> first(List.of("a", "b", "c"), number))
            .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    // four standard deviations
    WEIGHTS.forEach(
        (name, weight) ->
            assertEquals(SWITCHES * weight / 8.0, shares.get(name), 640, shares.toString()));
  }

  @Test
  void controllerThatLeaves_changesItsOwnSwitchesOnly() {
    for (long number = 0; number < 1_000; number++) {
      String before = first(List.of("a", "b", "c"), number);
      String after = first(List.of("a", "c"), number);
      assertTrue(before.equals("b") || before.equals(after));
    }
  }

  /** Controllers of different versions must agree. */
  @Test
  void score_isTheSameInAllVersions() {
    assertEquals(0.0, Rendezvous.score("left", 1, DatapathId.of(7)), 1e-12);
  }
}
