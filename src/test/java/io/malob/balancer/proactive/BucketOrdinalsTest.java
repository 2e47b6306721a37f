package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class BucketOrdinalsTest {
  private static int[] assign(int[] members, int[] before, int paths) {
    return BucketOrdinals.assign(members, before, any -> paths);
  }

  @Test
  void bucketsOfEachMember_takeOrdinalsInTurn() {
    int[] members = {7, 8, 7, 8, 7, 8};

    assertArrayEquals(new int[] {1, 1, 2, 2, 3, 3}, assign(members, new int[6], 3));
    assertArrayEquals(new int[] {1, 1, 1, 1, 1, 1}, assign(members, new int[6], 1));
  }

  @Test
  void membersHaveDifferentNumbersOfPaths() {
    assertArrayEquals(
        new int[] {1, 1, 2, 1},
        BucketOrdinals.assign(new int[] {7, 8, 7, 8}, new int[4], member -> member == 7 ? 2 : 1));
  }

  @Test
  void ordinals_stay_asFarAsTheyAreEqual() {
    int[] members = {7, 7, 7, 7, 7};

    assertArrayEquals(new int[] {2, 2, 1, 1, 2}, assign(members, new int[] {2, 2, 1, 1, 2}, 2));
    assertArrayEquals(new int[] {2, 2, 2, 1, 1}, assign(members, new int[] {2, 2, 2, 2, 2}, 2));
    assertArrayEquals(new int[] {1, 1, 2, 2, 3}, assign(members, new int[] {1, 1, 2, 2, 1}, 3));
    assertArrayEquals(new int[] {1, 2, 2, 1, 1}, assign(members, new int[] {0, 2, 2, 3, 3}, 2));
  }
}
