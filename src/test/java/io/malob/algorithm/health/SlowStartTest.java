package io.malob.algorithm.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlowStartTest {

  @ParameterizedTest
  @CsvSource({"-5,0.1", "0,0.1", "50,0.55", "75,0.775", "99,0.991", "100,1", "1000,1"})
  void share_growsWithTime_fromATenthToAll(long age, double share) {
    assertEquals(share, new SlowStart(100).share(age), 1e-9);
  }
}
