package io.malob.algorithm.estimate;

import io.malob.algorithm.estimate.CapacityEstimator.Capacity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The capacity of a link towards the host, from echoes ({@link CapacityEstimator}) and from its
 * traffic.
 *
 * <p>A second is saturated if each echo in it, and there were at least two, was late by more than
 * two full packets take at the rate of that second, or got lost, while more was received than sent:
 * then there was a queue throughout, the link was never idle, and what it carried is what it can
 * carry. Echoes of such a second are not used for the capacity. The line of the last good estimate,
 * or the fastest echo, defines which echoes are late.
 *
 * <p>A saturated second counts for {@link #BELIEVED_NANOS}, because it measures the relevant
 * direction. After that, echoes count, if they give an estimate. If the rate exceeds the estimate,
 * the rate is the capacity.
 *
 * <p>A link that carries {@link #NEARLY} all of that in a second in which an echo was on time was
 * idle at times, so that its capacity has grown, or was underestimated: {@link #GROWTH} times the
 * rate is assumed, until a second is saturated or carries less.
 *
 * <p>An estimate stands for {@link #STANDS_NANOS}, if later echoes do not contradict it: on an idle
 * link they are too few for a new one.
 *
 * <p>If neither gives an estimate while the link is in use, it has spare capacity: the assumed
 * capacity then grows by {@link #GROWTH} each second, up to {@link #MAX_OF_RATE} times the rate
 * since then, until the link is saturated. Otherwise an uplink with a low estimate would get little
 * traffic, and its estimate would never grow. The capacity of an unused link is unknown after
 * {@link #HELD_NANOS}. For one thread.
 */
public final class LinkCapacity {
  static final long BELIEVED_NANOS = TimeUnit.SECONDS.toNanos(3);
  static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long STANDS_NANOS = TimeUnit.SECONDS.toNanos(60);

  /**
   * The growth of the assumed capacity for each second in which the link is used but not saturated.
   */
  static final double GROWTH = 1.5;

  /** Above this part of its capacity, a link without a queue has more capacity. */
  static final double NEARLY = 0.9;

  /** The max of the assumed capacity, as a multiple of the rate since then. */
  static final double MAX_OF_RATE = 4;

  private static final double PACKET_BITS = 12_000;
  private static final double NOISE_NANOS = 1e6;
  private static final double MIN_BPS = 50_000;
  private static final double AVERAGE = 0.5;

  /** Estimates that agree are averaged: each is from echoes of which some were in the last, too. */
  private static final double AVERAGE_ESTIMATES = 0.2;

  /** A smaller relative difference is measurement noise. */
  private static final double SAME = 0.2;

  /** A saturated link that carries less than that part of the estimate has changed. */
  private static final double CHANGED = 0.7;

  /** An estimate with a larger error should become better. */
  private static final double ROUGH = 0.03;

  /** After this time without an estimate, a link is probed less often until the next attempt. */
  static final long HURRY_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** The first pause between attempts; it doubles with each, up to the last. */
  static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(40);

  static final long LAST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(20);

  private static final int MIN_ECHOES = 2;
  private static final int MAX_ECHOES = 256;

  private final CapacityEstimator estimator = new CapacityEstimator();
  private final List<CapacityEstimator.Echo> second = new ArrayList<>();
  private int lost;
  private Optional<Capacity> estimate = Optional.empty();
  private long estimatedNanos;
  private boolean isConfirmed;
  private OptionalLong hurriedNanos = OptionalLong.empty();
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private double shownBps;

  /** The certain min capacity by the latest estimate's echoes; kept, because each is a long sum. */
  private double atLeastBps;

  private double fastestNanos = Double.POSITIVE_INFINITY;
  private double saturationBps;
  private long saturatedNanos;
  private double rateBps;
  private boolean hasSpare;
  private double assumedBps;
  private double maxRateBps;
  private long usedNanos;

  /** The source of a capacity. */
  public enum Source {
    /** An operator. */
    RECORDED,
    /** Echoes. */
    PROBES,
    /** What the link carried while it was never idle. */
    SATURATION,
    /** More than the measured rate, because the link is in use and not saturated. */
    ASSUMED,
    /** Not known. */
    UNKNOWN
  }

  /**
   * The current capacity.
   *
   * @param bps in bit/s of IP packets; 0 if unknown
   */
  public record Belief(long bps, Source source) {}

  /** An echo has come back; its size is that of the IP packet in bytes. */
  public void answered(int bytes, long tookNanos, long nowNanos) {
    if (tookNanos > 0 && second.size() < MAX_ECHOES) {
      second.add(new CapacityEstimator.Echo(bytes, tookNanos, nowNanos));
      fastestNanos = Math.min(fastestNanos, (double) tookNanos);
      shownBps = Math.max(shownBps, CapacityEstimator.atLeastBps(bytes, tookNanos));
    }
  }

  /** An echo has not come back. */
  public void lost() {
    lost++;
  }

  /** The link is down, or a different one: resets everything. */
  public void clear() {
    clearCapacity();
    fastestNanos = Double.POSITIVE_INFINITY;
  }

  /** The same link carries nothing: when it is back, it may carry anything. */
  public void clearCapacity() {
    estimator.clear();
    second.clear();
    shownBps = 0;
    atLeastBps = 0;
    lost = 0;
    estimate = Optional.empty();
    isConfirmed = false;
    forgetAttempts();
    saturationBps = 0;
    rateBps = 0;
    hasSpare = false;
    assumedBps = 0;
    maxRateBps = 0;
  }

  /**
   * About a second has passed.
   *
   * @param receivedBps its traffic towards the host, in bit/s of IP packets
   * @param sentBps its traffic from the host
   */
  public void carried(double receivedBps, double sentBps, long nowNanos) {
    rateBps = receivedBps;
    hasSpare = !second.stream().allMatch(this::isLate);
    if (receivedBps >= sentBps && isSaturated()) {
      double change = receivedBps - saturationBps;
      boolean isSame = Math.abs(change) < SAME * saturationBps;
      saturationBps = isSame ? saturationBps + AVERAGE * change : receivedBps;
      saturatedNanos = nowNanos;
      if (estimate.filter(before -> receivedBps < CHANGED * before.bps()).isPresent()) {
        estimator.clear();
        estimate = Optional.empty();
        isConfirmed = false;
      }
    } else {
      second.forEach(estimator::add);
      estimate(nowNanos);
    }
    atLeastBps = estimator.atLeastBps(nowNanos);
    assume(nowNanos);
    second.clear();
    shownBps = 0;
    lost = 0;
  }

  private boolean isSaturated() {
    return fastestNanos < Double.POSITIVE_INFINITY // it does answer echoes
        && rateBps >= MIN_BPS
        && second.size() + lost >= MIN_ECHOES
        && second.stream().allMatch(this::isLate);
  }

  private boolean isLate(CapacityEstimator.Echo echo) {
    double lateNanos = Math.max(NOISE_NANOS, 2 * PACKET_BITS * 1e9 / rateBps);
    return echo.tookNanos() - idleNanos(echo.bytes()) > lateNanos;
  }

  private double idleNanos(int bytes) {
    return estimate.map(known -> known.line().y(bytes)).orElse(fastestNanos);
  }

  private void estimate(long nowNanos) {
    Optional<Capacity> now = estimator.capacity(nowNanos);
    isConfirmed = now.isPresent() || stands(nowNanos);
    if (now.isPresent()) {
      Capacity next = now.get();
      estimate =
          estimate
              .filter(before -> CapacityEstimator.agree(before, next))
              .map(before -> before.towards(next, AVERAGE_ESTIMATES))
              .or(() -> now);
      estimatedNanos = nowNanos;
    } else if (isConfirmed) {
      return;
    } else if (nowNanos - estimatedNanos > HELD_NANOS) {
      estimate = Optional.empty();
    }
  }

  private boolean stands(long nowNanos) {
    return isConfirmed
        && nowNanos - estimatedNanos <= STANDS_NANOS
        && estimate.filter(before -> !estimator.contradicts(before, nowNanos)).isPresent();
  }

  private void assume(long nowNanos) {
    boolean isUsed = rateBps >= MIN_BPS;
    if (isUsed) {
      usedNanos = nowNanos;
    }
    Belief measured = measured(nowNanos);
    if (measured.bps > 0) {
      assumedBps = (double) measured.bps;
      maxRateBps = rateBps;
      usedNanos = nowNanos;
    } else if (isUsed && assumedBps > 0) {
      maxRateBps = Math.max(maxRateBps, rateBps);
      double more = Math.min(GROWTH * assumedBps, MAX_OF_RATE * maxRateBps);
      assumedBps = Math.max(Math.max(assumedBps, more), rateBps);
    } else if (nowNanos - usedNanos > HELD_NANOS) {
      assumedBps = 0;
    }
  }

  private boolean isMeasured(long nowNanos) {
    return saturationBps > 0 && nowNanos - saturatedNanos <= BELIEVED_NANOS;
  }

  /** The capacity, if known. */
  public Belief belief(long nowNanos) {
    Belief measured = measured(nowNanos);
    if (hasSpare && rateBps >= MIN_BPS && measured.bps > 0 && rateBps > NEARLY * measured.bps) {
      return new Belief(Math.round(GROWTH * rateBps), Source.ASSUMED);
    }
    return measured.bps == 0 && assumedBps > 0
        ? new Belief(Math.round(assumedBps), Source.ASSUMED)
        : measured;
  }

  private Belief measured(long nowNanos) {
    if (isMeasured(nowNanos)) {
      return new Belief(Math.round(Math.max(saturationBps, rateBps)), Source.SATURATION);
    }
    boolean isRecent = nowNanos - estimatedNanos <= BELIEVED_NANOS;
    return estimate
        .filter(known -> isConfirmed || isRecent)
        .map(
            known ->
                rateBps > known.bps()
                    ? new Belief(Math.round(rateBps), Source.SATURATION)
                    : new Belief(Math.round(known.bps()), Source.PROBES))
        .orElse(new Belief(0, Source.UNKNOWN));
  }

  /** The need for further probes; it falls if an estimate takes too long, or is impossible. */
  public ProbePlan.Need need(long nowNanos) {
    if (isMeasured(nowNanos) || isGood(nowNanos)) {
      forgetAttempts();
      return ProbePlan.Need.KNOWN;
    }
    long sinceNanos = nowNanos - hurriedNanos.orElse(nowNanos);
    if (hurriedNanos.isEmpty()) {
      hurriedNanos = OptionalLong.of(nowNanos);
    } else if (sinceNanos > HURRY_NANOS + pauseNanos) {
      hurriedNanos = OptionalLong.of(nowNanos);
      pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
    } else if (sinceNanos > HURRY_NANOS) {
      return ProbePlan.Need.KNOWN;
    } else if (atLeastBps > CapacityEstimator.TOO_FAST_BPS) {
      hurriedNanos = OptionalLong.of(nowNanos - HURRY_NANOS - 1); // this attempt is over
      return ProbePlan.Need.KNOWN;
    }
    // later attempts cost an idle host less: in their time, a quarter of the echoes is enough
    boolean isFirst = pauseNanos == FIRST_PAUSE_NANOS;
    return measured(nowNanos).bps == 0 && isFirst ? ProbePlan.Need.UNKNOWN : ProbePlan.Need.ROUGH;
  }

  private void forgetAttempts() {
    hurriedNanos = OptionalLong.empty();
    pauseNanos = FIRST_PAUSE_NANOS;
  }

  private boolean isGood(long nowNanos) {
    return isConfirmed
        && nowNanos - estimatedNanos <= HELD_NANOS
        && estimate.filter(known -> known.error() <= ROUGH).isPresent();
  }

  /**
   * The certain min capacity in bit/s. While the capacity is unknown, or the latest echoes do not
   * confirm it, this comes from the latest echoes.
   */
  public double certainBps(long nowNanos) {
    return isConfirmed || isMeasured(nowNanos)
        ? (double) measured(nowNanos).bps
        : Math.max(Math.max(ProbePlan.CAREFUL_BPS, shownBps), atLeastBps);
  }
}
