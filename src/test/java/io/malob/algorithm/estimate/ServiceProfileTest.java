package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.estimate.ResponseTimes.Newest;
import io.malob.algorithm.estimate.ServiceProfile.Ended;
import io.malob.testing.Together;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ServiceProfileTest {
  private static final double MS = 1e6;

  private final ServiceProfile profile = new ServiceProfile();

  private static Ended page(int member, double serviceMillis) {
    return new Ended(member, 1, 0, 60_000, 1_500, (serviceMillis + 40) * MS, 40 * MS);
  }

  private void learn(Ended ended, int times) {
    for (int i = 0; i < times; i++) {
      profile.learn(ended);
    }
  }

  @Test
  void nothingKnown_aSmallPageIsExpected() {
    assertEquals(8 * 65_536, profile.expectedReplyBits());
    assertEquals(8 * 2_048, profile.expectedRequestBits());
    assertEquals(10 * MS, profile.expectedServiceNanos(1));
    assertEquals(0, profile.samples());
  }

  @Test
  void sizes_areLearntInBothDirections() {
    learn(page(1, 5), 500);
    assertEquals(8 * 60_000, profile.expectedReplyBits(), 1_000);
    assertEquals(8 * 1_500, profile.expectedRequestBits(), 100);
    assertEquals(500, profile.samples());
  }

  @Test
  void serviceTime_isWhatTheNetworkDoesNotExplain() {
    learn(page(1, 250), 500);
    assertEquals(250 * MS, profile.expectedServiceNanos(1), MS);
  }

  @Test
  void serviceTime_isThatOfOneConnectionAtATime() {
    learn(new Ended(1, 1, 4, 1_000, 1_000, 1_000 * MS, 0), 500);
    assertEquals(200 * MS, profile.expectedServiceNanos(1), MS);
  }

  @Test
  void serviceTime_ofAMemberWithWeight_isThatOfWeightOne() {
    learn(new Ended(1, 4, 7, 1_000, 1_000, 500 * MS, 0), 500);
    assertEquals(250 * MS, profile.expectedServiceNanos(1), MS);
  }

  @Test
  void connection_thatWasFasterThanItsPathsSeemed_countsAsNoServiceTime() {
    learn(new Ended(1, 1, 0, 1_000, 1_000, 5 * MS, 8 * MS), 1_000);
    assertEquals(0, profile.expectedServiceNanos(1), 0.01 * MS);
  }

  @Test
  void members_areToldApart() {
    for (int i = 0; i < 200; i++) {
      profile.learn(page(1, 10));
      profile.learn(page(2, 100));
    }
    assertEquals(10 * MS, profile.expectedServiceNanos(1), 6 * MS);
    assertEquals(100 * MS, profile.expectedServiceNanos(2), 6 * MS);
    assertEquals(55 * MS, profile.expectedServiceNanos(3), 6 * MS);
  }

  @Test
  void memberWithOneObservation_countsMostlyAsTheService() {
    learn(page(1, 10), 500);
    profile.learn(page(2, 100));
    double expected = profile.expectedServiceNanos(2);
    assertTrue(expected > 15 * MS && expected < 25 * MS, () -> "expected " + expected);
  }

  /** What the network took is a guess, and half of a minute says nothing of a server. */
  @Test
  void longTransfer_tellsLittleOfServiceTimes() {
    learn(page(1, 10), 500);
    learn(new Ended(1, 1, 0, 100_000_000, 1_000, 90_000 * MS, 60_000 * MS), 3);
    assertTrue(
        profile.expectedServiceNanos(1) < 2 * 10 * MS,
        () -> "expected " + profile.expectedServiceNanos(1));
  }

  @Test
  void members_beyondTheBound_countAsTheService() {
    for (int member = 1; member <= 2 * ServiceProfile.MAX_MEMBERS; member++) {
      profile.learn(page(member, 10));
    }
    assertEquals(ServiceProfile.MAX_MEMBERS, profile.serviceNanosByMember().size());
    profile.forgetMembers(number -> number > 1);
    assertEquals(1, profile.serviceNanosByMember().size());
    profile.learn(page(9_000, 10));
    assertEquals(2, profile.serviceNanosByMember().size());
  }

  @Test
  void responses_areThoseOfTheMember() {
    profile.responded(1, 0, 5e6);
    profile.responded(2, 3, 20e6);
    assertEquals(new Newest(5e6, 1, 1), profile.responses(1));
    assertEquals(new Newest(20e6, 4, 1), profile.responses(2));
    assertEquals(new Newest(0, 0, 0), profile.responses(3));
    profile.forgetMembers(number -> number == 1);
    assertEquals(0, profile.responses(1).count());
    assertEquals(1, profile.responses(2).count());
  }

  @Test
  void responses_ofMembersBeyondTheBound_areNotKept() {
    for (int member = 1; member <= ServiceProfile.MAX_MEMBERS + 1; member++) {
      profile.responded(member, 0, 1e6);
    }
    assertEquals(1, profile.responses(ServiceProfile.MAX_MEMBERS).count());
    assertEquals(0, profile.responses(ServiceProfile.MAX_MEMBERS + 1).count());
    profile.forgetMembers(number -> number == 1);
    profile.responded(ServiceProfile.MAX_MEMBERS + 1, 0, 1e6);
    assertEquals(1, profile.responses(ServiceProfile.MAX_MEMBERS + 1).count());
  }

  @Test
  void severalThreads_loseNoSample() throws Exception {
    Together.run(4, thread -> learn(page(thread, 10), 2_000));
    assertEquals(8_000, profile.samples());
    assertEquals(10 * MS, profile.expectedServiceNanos(2), MS);
  }

  /**
   * A path with 10 ms and 10 Mbit/s, and one with 60 ms and 50 Mbit/s, for connections of 60 KB
   * and, one in ten, 100 MB, of which nobody knows which is which: who chooses by the learnt size
   * has all done sooner than who goes by the usual size.
   */
  @Test
  void choiceByTheLearntSize_takesLessTimeInAllThanByTheUsualOne() {
    Random random = new Random(3);
    double logs = 0;
    double byMean = 0;
    double byUsual = 0;
    for (int i = 1; i <= 5_000; i++) {
      double bytes = random.nextInt(10) == 0 ? 100e6 : 60e3;
      double usual = i == 1 ? 65_536 : Math.exp(logs / (i - 1));
      byMean += timeByChoiceFor(profile.expectedReplyBits() / 8, bytes);
      byUsual += timeByChoiceFor(usual, bytes);
      profile.learn(new Ended(1, 1, 0, (long) bytes, 1_000, 0, 0));
      logs += Math.log(bytes);
    }
    double ratio = byMean / byUsual;
    assertTrue(ratio < 0.5, () -> "ratio " + ratio);
  }

  private static double timeByChoiceFor(double expectedBytes, double bytes) {
    boolean near =
        TransferTime.nanos(expectedBytes, 20 * MS, 10e6)
            <= TransferTime.nanos(expectedBytes, 120 * MS, 50e6);
    return near
        ? TransferTime.nanos(bytes, 20 * MS, 10e6)
        : TransferTime.nanos(bytes, 120 * MS, 50e6);
  }
}
