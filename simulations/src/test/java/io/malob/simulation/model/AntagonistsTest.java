package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.simulation.model.AntagonistRuns.Scarce;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On the network of {@link Labs#twoServers}: 40 Mbit/s and 10 ms there and back from "near". */
class AntagonistsTest {
  private static final double NANOSECONDS = 1e-8;

  private static double timeOf(Service service, Antagonists antagonists) {
    LabNetwork lab = Labs.twoServers();
    Setting idle = Labs.setting(lab, "SL-PS", Counting.PLACED_SINCE, 1);
    Setting setting =
        new Setting(
            lab,
            idle.algorithm(),
            idle.counting(),
            idle.intervalSeconds(),
            idle.processors(),
            idle.weights(),
            antagonists);
    Workload one = new Workload(Workload.closedLoops(lab, 1, service, 1, 0));
    return Simulation.run(setting, one, 1).all().median();
  }

  /** Both levels are the same, so it does not matter which is drawn when. */
  @Test
  void quota_slowsComputations() {
    Antagonists half = new Antagonists(0.1, ImmutableList.of(0.5, 0.5), ImmutableList.of(0.0));
    assertEquals(0.010 + 6 + 8e3 / 40e6, timeOf(Service.compute(3), half), NANOSECONDS);
  }

  @Test
  void crossTraffic_slowsTransfers() {
    Antagonists most = new Antagonists(0.1, ImmutableList.of(1.0), ImmutableList.of(0.75, 0.75));
    assertEquals(0.010 + 80e6 / 10e6, timeOf(Service.ftp(10e6), most), 1e-6);
  }

  /** Levels last a tenth of a second, so that both have about half of the time. */
  @Test
  void levels_change() {
    Antagonists two = new Antagonists(0.1, ImmutableList.of(0.25, 1.0), ImmutableList.of(0.0));
    double seconds = timeOf(Service.compute(30), two);
    assertEquals(30 / 0.625, seconds, 3);
  }

  @Test
  void meanLevels_areOfAllLevels() {
    Antagonists some = new Antagonists(1, ImmutableList.of(0.25, 0.75), ImmutableList.of(0.0, 0.2));
    assertEquals(0.5, some.meanQuota());
    assertEquals(0.9, some.meanFree());
  }

  /** Without load, a request takes the time that it needs of servers and links. */
  @ParameterizedTest
  @CsvSource({"SERVERS, LINKS, 1.5", "BOTH, LINKS, 1.5", "BOTH, SERVERS, 1.1"})
  void scarceResource_isWhatRequestsNeedMuchOf(Scarce longer, Scarce shorter, double factor)
      throws IOException {
    AntagonistRuns runs =
        new AntagonistRuns(LabNetwork.named("geni-wan").orElseThrow(), 0.01, 2e6, 100);
    Algorithm algorithm = Algorithm.named("LC+SPH").orElseThrow();
    double more = runs.run(algorithm, longer, 1).p50().mean();
    double less = runs.run(algorithm, shorter, 1).p50().mean();
    assertTrue(more > factor * less, more + " s against " + less + " s");
  }

  /** Larger answers are fewer for the same load, so all times grow with their size. */
  @Test
  void largerAnswers_takeLongerAtTheSameLoad() throws IOException {
    LabNetwork network = LabNetwork.named("geni-wan").orElseThrow();
    Algorithm algorithm = Algorithm.named("P2C+SPH").orElseThrow();
    double large =
        new AntagonistRuns(network, 0.5, 2e7, 100).run(algorithm, Scarce.LINKS, 1).p99().mean();
    double small =
        new AntagonistRuns(network, 0.5, 2e6, 100).run(algorithm, Scarce.LINKS, 1).p99().mean();
    assertTrue(large > 5 * small && large < 12 * small, large + " s against " + small + " s");
  }
}
