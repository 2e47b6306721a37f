package io.malob.algorithm.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** What the rules are worth, on uplinks of 10 and 20 Mbit/s and on the paper's trace. */
class FluidHostTest {
  private static final long FILE = 100_000;
  private static final double MBIT = 1e6 / 8;

  private static final List<IntToDoubleFunction> TEN_AND_TWENTY =
      List.of(second -> 10e6, second -> 20e6);

  /** The synthetic trace: 5, 20, 1 Mbit/s at 0, 20, 80 s. */
  private static final List<IntToDoubleFunction> TRACE =
      List.of(second -> second < 20 ? 5e6 : second < 80 ? 20e6 : 1e6, second -> 10e6);

  private static double files(String picker, int count) {
    return new FluidHost(picker, TEN_AND_TWENTY).fetch(count, 20, () -> FILE);
  }

  private static double besideAnElephant(String picker) {
    FluidHost host = new FluidHost(picker, TEN_AND_TWENTY);
    host.fetch(100, 20, () -> FILE);
    host.open(1e12);
    host.fetch(40, 4, () -> FILE); // while it grows
    return host.fetch(200, 4, () -> FILE);
  }

  /** Seconds per page, of pages as section 4 of the paper on web traffic describes them. */
  private static double pages(String picker) {
    double seconds = 0;
    for (int seed = 1; seed <= 5; seed++) {
      Random random = new Random(seed);
      LongSupplier bytes = () -> (long) Math.min(5e6, Math.exp(9.5 + 1.8 * random.nextGaussian()));
      FluidHost host = new FluidHost(picker, TEN_AND_TWENTY);
      for (int page = 0; page < 100; page++) {
        int flows = (int) Math.min(200, 1 + 42 * -Math.log(1 - random.nextDouble()));
        seconds += host.fetch(flows, 20, bytes) / 500;
      }
    }
    return seconds;
  }

  private static double carriedMbit(String picker) {
    return new FluidHost(picker, TRACE).fetchUntil(100, 20, () -> FILE) / MBIT / 100;
  }

  /**
   * Part of the capacity of 4 and 80 Mbit/s in a minute, each of which is known once it is full.
   */
  private static double usedWhileUnknown(String picker) {
    List<IntToDoubleFunction> fourAndEighty = List.of(second -> 4e6, second -> 80e6);
    return new FluidHost(picker, fourAndEighty, false).fetchUntil(60, 20, () -> FILE)
        / MBIT
        / 60
        / 84;
  }

  @Test
  void fastUplink_whileItsCapacityIsUnknown_isNotKeptAsSlowAsTheOther() {
    assertEquals(1, usedWhileUnknown("WRR"), 0.1);
    assertEquals(1, usedWhileUnknown("ADAPTIVE"), 0.1);
    assertTrue(usedWhileUnknown("RR") < 0.15);
  }

  @Test
  void equalFiles_weighted_takeHardlyLongerThanTheSumOfCapacitiesAllows() {
    double ideal = 100 * FILE * 8 / 30e6;
    assertEquals(ideal, files("WRR", 100), 0.02 * ideal);
    assertEquals(ideal, files("ADAPTIVE", 100), 0.03 * ideal);
    // half of the files have to go over a third of the capacity
    assertEquals(1.5 * ideal, files("RR", 100), 0.02 * ideal);
    // everything goes one way until the next measurement
    assertTrue(files("MBW", 100) > 1.5 * ideal);
  }

  @Test
  void filesBesideAnElephant_adaptive_keepOutOfItsWay() {
    assertTrue(besideAnElephant("ADAPTIVE") < 0.97 * besideAnElephant("WRR"));
  }

  @Test
  void pagesOfAllSizes_adaptive_areThereSoonerThanByTurns() {
    double adaptive = pages("ADAPTIVE");
    assertTrue(adaptive < 0.97 * pages("WRR"));
    assertTrue(adaptive < 0.85 * pages("RR"));
    assertTrue(adaptive < 0.85 * pages("MBW"));
  }

  @Test
  void trace_weighted_isUsedWhole() {
    double optimum = (20 * 15 + 60 * 30 + 20 * 11) / 100.0;
    assertEquals(optimum, carriedMbit("WRR"), 0.01 * optimum);
    assertEquals(optimum, carriedMbit("ADAPTIVE"), 0.01 * optimum);
    assertTrue(carriedMbit("RR") < 0.75 * optimum);
    assertTrue(carriedMbit("MBW") < 0.75 * optimum);
  }
}
