package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.estimate.LinkCapacity.Belief;
import io.malob.algorithm.estimate.LinkCapacity.Source;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkCapacityTest {
  private static final long TICK = 10_000_000;
  private static final int TICKS = 100;

  /** One link that is probed as planned. */
  private static final class Trial {
    final Random random;
    final LinkModel link;
    final ProbePlan plan;
    final LinkCapacity capacity = new LinkCapacity();
    final PriorityQueue<Answer> answers =
        new PriorityQueue<>(Comparator.comparingLong(Answer::atNanos));
    long now;
    double probedBits;

    record Answer(int bytes, long tookNanos, long atNanos) {}

    Trial(double bps, int seed) {
      random = new Random(seed);
      link = new LinkModel(bps, random);
      plan = new ProbePlan(random::nextDouble);
    }

    Belief second() {
      for (int tick = 0; tick < TICKS; tick++) {
        now += TICK;
        while (!answers.isEmpty() && answers.peek().atNanos <= now) {
          Answer answer = answers.remove();
          if (answer.tookNanos < 0) {
            capacity.lost();
          } else {
            capacity.answered(answer.bytes, answer.tookNanos, answer.atNanos);
          }
        }
        int bytes = plan.next(capacity.certainBps(now), capacity.need(now), now);
        if (bytes > 0) {
          send(bytes);
        }
      }
      capacity.carried(link.received(now / 1e9), link.sent(), now);
      return capacity.belief(now);
    }

    private void send(int bytes) {
      probedBits += 8 * (bytes + 14);
      long took = (long) (1e9 * link.echo(bytes, now / 1e9));
      answers.add(
          took < 0
              ? new Answer(bytes, -1, now + 1_000_000_000)
              : new Answer(bytes, took, now + took));
    }

    List<Belief> seconds(int count) {
      List<Belief> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(second());
      }
      return all;
    }
  }

  private static boolean isWithin(double part, Belief belief, double bps) {
    return Math.abs(belief.bps() / bps - 1) <= part;
  }

  private static long count(List<Belief> beliefs, Predicate<Belief> which) {
    return beliefs.stream().filter(which).count();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e6, 2e6, 5e6, 10e6, 20e6, 50e6})
  void idleLink_isKnownWithinFiveSecondsAndStaysSo(double bps) {
    for (int seed = 0; seed < 5; seed++) {
      Trial trial = new Trial(bps, seed);
      assertTrue(count(trial.seconds(5), known -> known.bps() > 0) > 0, "seed " + seed);
      List<Belief> later = trial.seconds(60);
      assertTrue(count(later, each -> isWithin(0.1, each, bps)) >= 57, "seed " + seed + later);
      assertTrue(later.stream().allMatch(each -> each.source() == Source.PROBES), "" + later);
      assertTrue(trial.probedBits < 0.011 * bps * 66, "echoes take too much");
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e6, 2e6, 5e6, 10e6})
  void idleLinkBetweenBusyEnds_isMostlyKnownWithinFiveSeconds(double bps) {
    int known = 0;
    for (int seed = 0; seed < 100; seed++) {
      Trial trial = new Trial(bps, seed);
      trial.link.busyEnds(200e-6);
      known += count(trial.seconds(5), each -> each.bps() > 0) > 0 ? 1 : 0;
    }
    assertTrue(known >= 90, known + " of 100");
  }

  @ParameterizedTest
  @CsvSource({
    "1e6, false, 0.1",
    "5e6, false, 0.1",
    "20e6, false, 0.1",
    "50e6, false, 0.15",
    "1e6, true, 0.1",
    "2e6, true, 0.1",
    "10e6, true, 0.1",
    "20e6, true, 0.1"
  })
  void linkAtHalfLoad_isKnownOrSaidNotToBe(double bps, boolean poisson, double error) {
    for (int seed = 0; seed < 5; seed++) {
      Trial trial = new Trial(bps, seed);
      trial.link.load(0.5, poisson, 0);
      List<Belief> all = trial.seconds(60);
      long known = count(all, each -> each.bps() > 0);
      long right = count(all, each -> isWithin(error, each, bps));
      assertTrue(right >= 35, "seed " + seed + all);
      assertTrue(known - right <= 3, "seed " + seed + all);
    }
  }

  /** Echoes of three sizes, each so many times, of an undisturbed link. */
  private static void answered(LinkCapacity capacity, double bps, int times, long second) {
    for (int i = 0; i < times; i++) {
      for (int bytes : new int[] {64, 720, 1_400}) {
        long took = Math.round(1e6 + 16e9 * bytes / bps);
        capacity.answered(bytes, took, second * 1_000_000_000 - 1);
      }
    }
    used(capacity, 0, second);
  }

  @Test
  void estimate_stands_whileLaterEchoesAreTooFewToTellAnything() {
    LinkCapacity capacity = new LinkCapacity();
    answered(capacity, 20e6, 5, 1);
    for (int second = 2; second <= 60; second++) {
      capacity.answered(64, 1_051_200, second * 1_000_000_000L);
      used(capacity, 0, second);
      assertEquals(
          new Belief(20_000_000, Source.PROBES),
          capacity.belief(second * 1_000_000_000L),
          "" + second);
    }
    used(capacity, 0, 80);
    assertEquals(Source.UNKNOWN, capacity.belief(80_000_000_000L).source(), "not for ever");
  }

  @Test
  void estimate_falls_whenLaterEchoesContradictIt() {
    LinkCapacity capacity = new LinkCapacity();
    answered(capacity, 20e6, 5, 1);
    answered(capacity, 5e6, 3, 30);
    assertEquals(new Belief(5_000_000, Source.PROBES), capacity.belief(30_000_000_000L));
  }

  @Test
  void linkThatIsFasterThanTheClockCanTell_isNotKnown() {
    assertTrue(
        new Trial(1e9, 1).seconds(60).stream().allMatch(each -> each.source() == Source.UNKNOWN));
  }

  @Test
  void linkThatIsFasterThanTheClockCanTell_isSoonProbedLess() {
    for (int seed = 0; seed < 20; seed++) {
      Trial fast = new Trial(1e9, seed);
      fast.seconds(5);
      assertEquals(ProbePlan.Need.KNOWN, fast.capacity.need(fast.now), "seed " + seed);
      Trial disturbed = new Trial(50e6, seed);
      disturbed.link.busyEnds(2e-3);
      disturbed.seconds(5);
      assertEquals(ProbePlan.Need.UNKNOWN, disturbed.capacity.need(disturbed.now), "seed " + seed);
    }
  }

  @Test
  void linkWithoutEstimate_isProbedMuchForShortTimesWithGrowingPauses() {
    LinkCapacity capacity = new LinkCapacity();
    List<Long> begun = new ArrayList<>();
    long probedSeconds = 0;
    boolean isProbed = false;
    for (long second = 0; second < 4_000; second++) {
      boolean wasProbed = isProbed;
      ProbePlan.Need need = capacity.need(TimeUnit.SECONDS.toNanos(second));
      isProbed = need != ProbePlan.Need.KNOWN;
      assertEquals(
          isProbed && second <= 20, need == ProbePlan.Need.UNKNOWN, "then less: " + second);
      probedSeconds += isProbed ? 1 : 0;
      if (isProbed && !wasProbed) {
        begun.add(second);
      }
    }
    assertEquals(List.of(0L, 61L, 162L, 343L, 684L, 1_345L, 2_566L, 3_787L), begun);
    assertEquals(8 * 21, probedSeconds);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e6, 5e6, 20e6})
  void saturatedLink_carriesWhatItCan(double bps) {
    Trial trial = new Trial(bps, 3);
    trial.seconds(10);
    trial.link.greedy(true);
    trial.seconds(2);
    List<Belief> saturated = trial.seconds(60);
    assertEquals(60, count(saturated, each -> each.source() == Source.SATURATION));
    assertTrue(saturated.stream().allMatch(each -> isWithin(0.02, each, bps)), "" + saturated);
    trial.link.greedy(false);
    assertEquals(Source.PROBES, trial.seconds(10).get(9).source());
  }

  @Test
  void saturatedLink_thatChanges_isFollowedWithinSeconds() {
    Trial trial = new Trial(5e6, 4);
    trial.seconds(6);
    trial.link.greedy(true);
    for (double bps : List.of(5e6, 20e6, 1e6, 10e6)) {
      trial.link.bps(bps);
      trial.seconds(4);
      List<Belief> beliefs = trial.seconds(15);
      assertTrue(count(beliefs, each -> isWithin(0.1, each, bps)) >= 14, bps + ": " + beliefs);
    }
  }

  @Test
  void idleLink_thatChanges_isFollowedWithinSeconds() {
    Trial trial = new Trial(5e6, 5);
    trial.seconds(10);
    for (double bps : List.of(20e6, 1e6, 10e6)) {
      trial.link.bps(bps);
      trial.seconds(10);
      List<Belief> beliefs = trial.seconds(20);
      assertTrue(count(beliefs, each -> isWithin(0.1, each, bps)) >= 18, bps + ": " + beliefs);
    }
  }

  @Test
  void linkThatIsFullInTheOtherDirection_isNotTakenForSaturated() {
    LinkCapacity capacity = new LinkCapacity();
    for (int second = 1; second < 10; second++) {
      capacity.answered(64, 1_000_000 + (second > 1 ? 400_000_000 : 0), second * 1_000_000_000L);
      capacity.lost();
      capacity.carried(200_000, 1_000_000, second * 1_000_000_000L);
      assertEquals(Source.UNKNOWN, capacity.belief(second * 1_000_000_000L).source());
    }
  }

  @Test
  void rateAboveTheEstimate_isTheCapacity() {
    Trial trial = new Trial(5e6, 6);
    assertEquals(Source.PROBES, trial.seconds(10).get(9).source());
    trial.capacity.carried(7e6, 0, trial.now);
    assertEquals(new Belief(7_000_000, Source.SATURATION), trial.capacity.belief(trial.now));
  }

  /** Echoes without a queue, of a link whose fastest took 1 ms. */
  private static void unsaturated(LinkCapacity capacity, double bps, long second) {
    capacity.answered(64, 1_100_000, second * 1_000_000_000);
    capacity.answered(64, 1_100_000, second * 1_000_000_000);
    used(capacity, bps, second);
  }

  @Test
  void linkThatCarriesAllItShouldWithoutAQueue_isAssumedToCarryMore() {
    LinkCapacity capacity = new LinkCapacity();
    unsaturated(capacity, 0, 0);
    saturated(capacity, 10e6, 1);
    unsaturated(capacity, 9.5e6, 2);
    assertEquals(new Belief(14_250_000, Source.ASSUMED), capacity.belief(2_000_000_000L));
    unsaturated(capacity, 14e6, 3);
    assertEquals(new Belief(21_000_000, Source.ASSUMED), capacity.belief(3_000_000_000L));
    saturated(capacity, 18e6, 4);
    assertEquals(new Belief(18_000_000, Source.SATURATION), capacity.belief(4_000_000_000L));
    unsaturated(capacity, 8e6, 5);
    assertEquals(new Belief(18_000_000, Source.SATURATION), capacity.belief(5_000_000_000L));
  }

  @Test
  void clearCapacity_keepsTheRoundTripOfTheIdleLink() {
    LinkCapacity capacity = new LinkCapacity();
    unsaturated(capacity, 0, 0);
    saturated(capacity, 1e6, 1);
    capacity.clearCapacity();
    assertEquals(new Belief(0, Source.UNKNOWN), capacity.belief(1_000_000_000L));
    saturated(capacity, 9e6, 2);
    assertEquals(new Belief(9_000_000, Source.SATURATION), capacity.belief(2_000_000_000L));
  }

  @Test
  void clear_forgetsEverything() {
    Trial trial = new Trial(5e6, 6);
    trial.seconds(10);
    trial.capacity.clear();
    assertEquals(new Belief(0, Source.UNKNOWN), trial.capacity.belief(trial.now));
  }

  /** Two late echoes, of a link whose fastest took 1 ms: a queue throughout. */
  private static void saturated(LinkCapacity capacity, double bps, long second) {
    long now = second * 1_000_000_000;
    capacity.answered(64, 1_000_000_000, now);
    capacity.answered(64, 1_000_000_000, now);
    capacity.carried(bps, bps / 20, now);
  }

  private static void used(LinkCapacity capacity, double bps, long second) {
    capacity.carried(bps, bps / 20, second * 1_000_000_000);
  }

  @Test
  void whatIsUsedAndNotUsedUp_isAssumedToCarryMore_untilItIsSaturated() {
    LinkCapacity capacity = new LinkCapacity();
    capacity.answered(64, 1_000_000, 0);
    used(capacity, 0, 0);
    saturated(capacity, 1e6, 1);
    assertEquals(new Belief(1_000_000, Source.SATURATION), capacity.belief(1_000_000_000));

    for (int second = 2; second <= 6; second++) {
      used(capacity, 0.8e6, second);
    }
    assertEquals(new Belief(2_250_000, Source.ASSUMED), capacity.belief(6_000_000_000L));
    for (int second = 7; second <= 12; second++) {
      used(capacity, 0.8e6, second);
    }
    assertEquals(
        new Belief(3_200_000, Source.ASSUMED),
        capacity.belief(12_000_000_000L),
        "four times what it carries");

    saturated(capacity, 2e6, 13);
    assertEquals(new Belief(2_000_000, Source.SATURATION), capacity.belief(13_000_000_000L));
  }

  @Test
  void whatIsNotUsed_isUnknownAfterSomeTime() {
    LinkCapacity capacity = new LinkCapacity();
    capacity.answered(64, 1_000_000, 0);
    used(capacity, 0, 0);
    saturated(capacity, 1e6, 1);
    for (int second = 2; second <= 13; second++) {
      used(capacity, 0, second);
    }
    assertEquals(new Belief(1_000_000, Source.ASSUMED), capacity.belief(13_000_000_000L));
    used(capacity, 0, 15);
    assertEquals(new Belief(0, Source.UNKNOWN), capacity.belief(15_000_000_000L));
  }
}
