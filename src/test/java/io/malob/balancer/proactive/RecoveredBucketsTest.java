package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import io.malob.openflow.label.Label;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecoveredBucketsTest {
  private static final BucketKey COARSE = new BucketKey(BucketSource.PORT, 64);
  private static final BucketKey FINE = new BucketKey(BucketSource.PORT, 128);

  private final RecoveredBuckets found = new RecoveredBuckets();

  private void add(BucketKey key, int count, int member) {
    for (int index = 0; index < count; index++) {
      found.add(new BucketCookie(1, member, key, index, false), Optional.empty());
    }
  }

  @Test
  void isComplete_withTheLastBucket() {
    assertFalse(found.isComplete());
    add(COARSE, 63, 5);
    assertFalse(found.isComplete());
    add(COARSE, 64, 5);

    assertTrue(found.isComplete());
    assertEquals(COARSE, found.key());
    assertEquals(5, found.cookie(63).memberNumber());
  }

  /** The number was being doubled: packets follow the finer ones as far as they are there. */
  @Test
  void key_isTheFinestCompleteSet() {
    add(COARSE, 64, 5);
    add(FINE, 127, 6);
    assertEquals(COARSE, found.key());
    add(FINE, 128, 6);

    assertEquals(FINE, found.key());
    assertEquals(6, found.cookie(0).memberNumber());
  }

  @Test
  void labels_areThoseOfAllRules() {
    found.add(new BucketCookie(1, 5, COARSE, 0, false), Optional.of(new Label(1)));
    found.add(new BucketCookie(1, 5, COARSE, 1, true), Optional.empty());
    found.add(new BucketCookie(1, 5, FINE, 1, false), Optional.of(new Label(2)));

    assertEquals(Set.of(new Label(1), new Label(2)), found.labels());
  }
}
