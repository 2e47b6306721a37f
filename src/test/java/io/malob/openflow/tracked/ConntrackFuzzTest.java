package io.malob.openflow.tracked;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FuzzCorpus;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What {@link ConntrackFuzz} does, with its corpus and a short run; the long one is a benchmark.
 */
class ConntrackFuzzTest {
  private static final int SPOILED = 100_000;

  @Test
  void actions_areReadOrRefused_andReadAgain() throws Exception {
    Map<Boolean, Integer> counts = new HashMap<>();
    FuzzCorpus.run(
        "conntrack.txt",
        SPOILED,
        input -> counts.merge(ConntrackFuzz.isRead(input), 1, Integer::sum));
    // else this would not be much of a test
    for (boolean isRead : new boolean[] {true, false}) {
      assertTrue(counts.getOrDefault(isRead, 0) > SPOILED / 100, counts.toString());
    }
  }
}
