package io.malob.simulation.fluid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ForecastTest {
  private static final double ROUNDING = 1e-9;

  /** Links of 40 and 10 bit/s. */
  private final Forecast forecast = new Forecast(new MaxMinShares(40, 10));

  private static int[] over(int... links) {
    return links;
  }

  @Test
  void oneTransfer_takesItsBitsOverItsNarrowestLink() {
    assertEquals(3, forecast.secondsWith(over(0, 1), 30), ROUNDING);
  }

  /** Both get 20 for 2 s; then the longer one has 40 for another 2 s. */
  @Test
  void whenOneEnds_theOthersGetItsShare() {
    forecast.add(over(0), 40);
    assertEquals(2 + 4, forecast.secondsWith(over(0), 120), ROUNDING);
  }

  /** 10 over the second link, and 30 for the other for 2 s, which then has 20 of 80 left. */
  @Test
  void sharesAreMaxMin() {
    forecast.add(over(0, 1), 20);
    assertEquals(2 + 2.5, forecast.secondsWith(over(0), 80), ROUNDING);
  }

  @Test
  void transferWithoutLinks_takesNoTime() {
    forecast.add(over(), 50);
    forecast.add(over(1), 50);
    assertEquals(5, forecast.secondsWith(over(), 50), ROUNDING);
  }

  @Test
  void forecasts_doNotChangeWhatIsForecast() {
    forecast.add(over(0), 40);
    assertEquals(forecast.secondsWith(over(0), 120), forecast.secondsWith(over(0), 120), ROUNDING);
  }
}
