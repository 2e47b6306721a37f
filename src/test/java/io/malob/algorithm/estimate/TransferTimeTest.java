package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TransferTimeTest {
  private static final double MS = 1e6;

  @Test
  void answerOfOneWindow_takesTwoRoundTripsAndItsBytes() {
    assertEquals(2 * 20 * MS + 8 * MS, TransferTime.nanos(10_000, 20 * MS, 10e6), 1);
  }

  @Test
  void unknownNetwork_takesNoTime() {
    assertEquals(0, TransferTime.nanos(1e9, 0, Double.POSITIVE_INFINITY), 0);
  }

  @Test
  void unlimitedRate_waitsForTheWindowToGrow() {
    // 14,600, 29,200, 58,400: the third window has the rest
    assertEquals(
        (2 + 2) * 50 * MS, TransferTime.nanos(100_000, 50 * MS, Double.POSITIVE_INFINITY), 1);
  }

  @Test
  void shortWay_neverWaitsForTheWindow() {
    // a first window of 14,600 bytes takes 11.68 ms at 10 Mbit/s
    assertEquals(2 * 5 * MS + 80_000 * MS, TransferTime.nanos(100e6, 5 * MS, 10e6), 1);
  }

  /** Round trip 30 ms, 10 Mbit/s: windows of 11.68 and 23.36 ms are acknowledged too late. */
  @Test
  void longWay_waitsUntilTheWindowFillsIt() {
    double waited = (30 - 11.68) * MS + (30 - 23.36) * MS;
    assertEquals(2 * 30 * MS + 80_000 * MS + waited, TransferTime.nanos(100e6, 30 * MS, 10e6), 1);
  }
}
