package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ActiveCountTest {
  private final ActiveCount count = new ActiveCount();

  @Test
  void placement_countsUntilItWasThereAtTwoMeasurements() {
    count.add(3);
    assertEquals(3, count.sinceMeasured());
    count.measured();
    assertEquals(3, count.sinceMeasured());
    count.measured();
    assertEquals(0, count.sinceMeasured());
    assertEquals(3, count.covered());
  }

  @Test
  void placement_afterTwoMeasurements_countsAlone() {
    count.add(3);
    count.measured();
    count.measured();
    count.add(2);
    assertEquals(2, count.sinceMeasured());
    assertEquals(3, count.atMeasurement());
  }

  @Test
  void endOfWhatWasMeasured_countsAgainstIt() {
    count.add(3);
    count.measured();
    count.measured();
    count.add(-2);
    assertEquals(-2, count.sinceMeasured());
    assertEquals(1, count.now());
    count.measured();
    assertEquals(0, count.sinceMeasured());
  }
}
