package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.simulation.model.Workload.ClosedLoop;
import io.malob.simulation.model.Workload.Poisson;
import io.malob.simulation.model.Workload.Source;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Times that can be worked out by hand, on the network of {@link Labs#twoServers}: to the client 40
 * Mbit/s and 10 ms there and back from "near", 50 Mbit/s and 20 ms from "wide".
 */
class SimulationTest {
  private static final double NANOSECONDS = 1e-8;
  private static final long SEED = 1;

  private final LabNetwork lab = Labs.twoServers();

  private Outcome run(String algorithm, Counting counting, double interval, Source... sources) {
    return Simulation.run(
        Labs.setting(lab, algorithm, counting, interval),
        new Workload(ImmutableList.copyOf(sources)),
        SEED);
  }

  private double timeOf(String algorithm, Service service) {
    Outcome outcome = run(algorithm, Counting.PLACED_SINCE, 0, loop(service, 3));
    List<Double> times = outcome.seconds().get(service.name());
    assertEquals(3, times.size());
    assertEquals(times.get(0), times.get(2), NANOSECONDS);
    return times.get(0);
  }

  private ClosedLoop loop(Service service, int requests) {
    return new ClosedLoop(lab.clients().get(0), service, requests, 0);
  }

  @Test
  void file_takesARoundTripAndItsTransfer() {
    assertEquals(0.010 + 800e6 / 40e6, timeOf("SL-PS", Service.ftp(100e6)), NANOSECONDS);
    assertEquals(0.020 + 800e6 / 50e6, timeOf("HT-PS", Service.ftp(100e6)), NANOSECONDS);
  }

  @Test
  void pages_takeARoundTripEach() {
    assertEquals(5 * (0.010 + 480e3 / 40e6), timeOf("SL-PS", Service.HTTP), NANOSECONDS);
    assertEquals(5 * (0.020 + 480e3 / 50e6), timeOf("HT-PS", Service.HTTP), NANOSECONDS);
  }

  @Test
  void computation_takesItsProcessorTimeToo() {
    assertEquals(0.010 + 3 + 8e3 / 40e6, timeOf("SL-PS", Service.compute(3)), NANOSECONDS);
  }

  @Test
  void roundRobin_alternates() {
    Outcome outcome = run("RR+SPH", Counting.PLACED_SINCE, 0, loop(Service.ftp(100e6), 4));
    List<Double> times = outcome.seconds().get("ftp");
    assertEquals(20.010, times.get(0), NANOSECONDS);
    assertEquals(16.020, times.get(1), NANOSECONDS);
    assertEquals(20.010, times.get(2), NANOSECONDS);
    assertEquals(16.020, times.get(3), NANOSECONDS);
  }

  /** Both see 50 Mbit/s idle and go there. */
  @Test
  void greedyRule_sendsAllTheSameWayBetweenMeasurements() {
    Service file = Service.ftp(100e6);
    Outcome outcome = run("HT-PS", Counting.MEASURED_ONLY, 100, loop(file, 1), loop(file, 1));
    assertEquals(0.020 + 1600e6 / 50e6, outcome.of(file).max(), NANOSECONDS);
    assertEquals(0.020 + 1600e6 / 50e6, outcome.of(file).min(), NANOSECONDS);
  }

  /** The second one sees 50 Mbit/s for two, and 40 for itself. */
  @Test
  void countingRule_doesNot() {
    Service file = Service.ftp(100e6);
    Outcome outcome = run("HT-PS", Counting.PLACED_SINCE, 100, loop(file, 1), loop(file, 1));
    assertEquals(0.010 + 800e6 / 40e6, outcome.of(file).max(), NANOSECONDS);
    assertEquals(0.020 + 800e6 / 50e6, outcome.of(file).min(), NANOSECONDS);
  }

  /** After a second of the first file, port statistics say that nothing is left on its link. */
  @Test
  void greedyRule_seesWhatWasMeasured() {
    Service first = Service.ftp(100e6);
    Service later = new Service("later", 1, 80e6, 0);
    LabNetwork.Host client = lab.clients().get(0);
    Outcome outcome =
        run(
            "HT-PS",
            Counting.MEASURED_ONLY,
            1,
            loop(first, 1),
            new ClosedLoop(client, later, 1, 12));
    assertEquals(0.010 + 80e6 / 40e6, outcome.of(later).min(), NANOSECONDS);
    assertEquals(0.020 + 800e6 / 50e6, outcome.of(first).min(), NANOSECONDS);
  }

  /** The second computation meets a server whose processor was reported to be busy. */
  @Test
  void cpuRule_seesWhatServersReport() {
    Service first = Service.compute(60);
    Service later = new Service("later", 1, 8e3, 3);
    LabNetwork.Host client = lab.clients().get(0);
    Outcome outcome =
        run(
            "CPU+SPH",
            Counting.MEASURED_ONLY,
            1,
            loop(first, 1),
            new ClosedLoop(client, later, 1, 12));
    assertEquals(60.010 + 8e3 / 40e6, outcome.of(first).min(), NANOSECONDS);
    assertEquals(3.020 + 8e3 / 50e6, outcome.of(later).min(), NANOSECONDS);
  }

  /**
   * Processor sharing with random arrivals: the mean time is that of the work divided by what the
   * others leave of the processor, whatever the distribution of the work (L. Kleinrock, Queueing
   * Systems II, 1976, section 4.4).
   */
  @Test
  void randomArrivals_onOneProcessor_takeAsLongAsTheoryTells() {
    Service half = new Service("half a processor", 1, 1, 1);
    Outcome outcome =
        run(
            "SL-PS",
            Counting.MEASURED_ONLY,
            0,
            new Poisson(lab.clients().get(0), half, 50_000, 0.5));
    assertEquals(0.010 + 1 / (1 - 0.5), outcome.of(half).mean(), 0.04);
  }

  @Test
  void requests_thatCount_areTheFirstOfEachSource() {
    Service file = Service.ftp(1e6);
    Outcome outcome =
        run("RR+SPH", Counting.PLACED_SINCE, 1, loop(file, 7), loop(Service.HTTP, 40));
    assertEquals(7, outcome.seconds().get("ftp").size());
    assertEquals(40, outcome.seconds().get("http").size());
  }

  @ParameterizedTest
  @CsvSource({"RR+HTP", "LC+SPL", "CPU+HTP", "SL-PS", "HT-PS"})
  void sameSeed_givesTheSameToTheLastDigit(String algorithm) throws IOException {
    LabNetwork network = LabNetwork.named("geni-wan").orElseThrow();
    Setting setting =
        new Setting(
            network,
            Algorithm.named(algorithm).orElseThrow(),
            Counting.PLACED_SINCE,
            1,
            ImmutableList.of(4, 1, 1),
            ImmutableList.of(1, 1, 1));
    Workload workload = new Workload(Workload.poisson(network, Service.ftp(5e6), 40, 1));
    Outcome first = Simulation.run(setting, workload, 7);
    assertEquals(first, Simulation.run(setting, workload, 7));
    assertNotEquals(first, Simulation.run(setting, workload, 8));
  }

  /** The thesis's finding for files, in the model: server and path together, 60 % at most. */
  @ParameterizedTest
  @CsvSource({"SL-PS", "HT-PS"})
  void jointRules_onTheThesisNetwork_takeAtMostTwoThirdsOfRoundRobinsTime(String algorithm)
      throws IOException {
    LabNetwork network = LabNetwork.named("geni-wan").orElseThrow();
    Workload workload = new Workload(Workload.closedLoops(network, 4, Service.ftp(100e6), 20, 1));
    double joint = median(network, algorithm, workload);
    double separate = median(network, "RR+SPH", workload);
    assertTrue(joint <= separate * 2 / 3, joint + " s against " + separate + " s");
  }

  private static double median(LabNetwork network, String algorithm, Workload workload) {
    return Simulation.run(
            Labs.setting(network, algorithm, Counting.PLACED_SINCE, 1), workload, SEED)
        .all()
        .median();
  }
}
