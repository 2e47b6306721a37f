package io.malob.algorithm.estimate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * The capacity of a link by variable packet size probing (section 8 of Al-Najjar and others on
 * dynamic capacities; the idea is pathchar's): it sends echoes of several sizes, takes the min
 * round trip of each size, because queues only add time, and fits a line over the size. Its slope
 * is the time per byte.
 *
 * <p>An echo comes back as large as it went, so that the slope is the sum of the times per byte of
 * both directions, and says nothing of either alone. Both are taken to have the same capacity.
 * Where they do not, the result is their harmonic mean: too little for a download over ADSL. {@link
 * LinkCapacity} corrects that as soon as the link carries more.
 *
 * <p>The min of few echoes is too large, by about the distance between the smallest ones: this
 * distance is subtracted, and it is the error of the point. There is no estimate if the slope's
 * relative error exceeds 6 %: if the points are not on a line, if there is a queue throughout, or
 * if the link is too fast for the clock ({@link #CLOCK_NANOS}).
 *
 * <p>The estimate uses the echoes of the last {@link #LONG_NANOS}. If those of the last {@link
 * #SHORT_NANOS} alone give a clearly different result, the link has changed, and older echoes are
 * dropped. For one thread.
 */
public final class CapacityEstimator {
  static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(20);
  static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * Above this, there is no estimate: with the largest sizes, an error of {@link #CLOCK_NANOS} of
   * each is more than {@link #MAX_ERROR} of the slope.
   */
  static final double TOO_FAST_BPS = 200e6;

  /** The error that processors and timers may add to one size and not to another. */
  private static final double CLOCK_NANOS = 5_000;

  private static final int MIN_PER_SIZE = 3;
  private static final int MIN_SIZES = 3;
  private static final double MAX_ERROR = 0.06;

  /** A smaller change, as the logarithm of a ratio, counts as no change. */
  private static final double MIN_CHANGE = 0.3;

  /** With fewer echoes of a size, a fifth of them is no more than the least. */
  private static final int ENOUGH = 12;

  private static final int MAX_ECHOES = 2_048;

  private final Deque<Echo> echoes = new ArrayDeque<>();

  /** An echo that has come back. */
  record Echo(int bytes, long tookNanos, long atNanos) {}

  /**
   * A capacity with its error.
   *
   * @param bps of both directions, in bit/s of IP packets
   * @param error the standard error of that, relative
   * @param line round trip in ns over bytes
   */
  record Capacity(double bps, double error, Line line) {
    /** The weighted mean with a later estimate of the same link: its weight is 0 to 1. */
    Capacity towards(Capacity next, double part) {
      Line mixed =
          new Line(
              line.at() + part * (next.line.at() - line.at()),
              line.slope() + part * (next.line.slope() - line.slope()),
              next.line.slopeError());
      return new Capacity(CapacityEstimator.bps(mixed.slope()), next.error, mixed);
    }
  }

  /** Takes an echo into account. */
  void add(Echo echo) {
    if (echoes.size() == MAX_ECHOES) {
      echoes.removeFirst();
    }
    echoes.addLast(echo);
  }

  /** Forgets everything. */
  void clear() {
    echoes.clear();
  }

  /** The capacity, if an estimate is possible. */
  Optional<Capacity> capacity(long nowNanos) {
    forgetBefore(nowNanos - LONG_NANOS);
    Optional<Capacity> now = line(nowNanos - SHORT_NANOS).flatMap(CapacityEstimator::capacity);
    Optional<Capacity> all = line(nowNanos - LONG_NANOS).flatMap(CapacityEstimator::capacity);
    if (now.isPresent() && all.filter(before -> agree(before, now.get())).isEmpty()) {
      forgetBefore(nowNanos - SHORT_NANOS);
      return now;
    }
    return all;
  }

  /** Whether later echoes contradict an earlier capacity; few of them prove little. */
  boolean contradicts(Capacity before, long nowNanos) {
    return isOther(before, line(nowNanos - SHORT_NANOS))
        || isOther(before, line(nowNanos - LONG_NANOS));
  }

  private static boolean isOther(Capacity before, Optional<Line> now) {
    return now.filter(
            line -> {
              double difference = Math.abs(line.slope() - before.line.slope());
              double error = Math.hypot(line.slopeError(), before.line.slopeError());
              return difference > Math.max(MIN_CHANGE * before.line.slope(), 3 * error);
            })
        .isPresent();
  }

  /** Whether two capacities may be those of one link that has not changed. */
  static boolean agree(Capacity one, Capacity other) {
    double difference = Math.abs(Math.log(one.bps / other.bps));
    return difference <= Math.max(MIN_CHANGE, 3 * Math.hypot(one.error, other.error));
  }

  private static Optional<Capacity> capacity(Line line) {
    double error = line.slopeError() / line.slope();
    return line.slope() > 0 && error <= MAX_ERROR
        ? Optional.of(new Capacity(bps(line.slope()), error, line))
        : Optional.empty();
  }

  private static double bps(double nanosPerByte) {
    return 2 * 8e9 / nanosPerByte;
  }

  /**
   * The certain min capacity of the link in bit/s, from the last {@link #SHORT_NANOS}; 0 if
   * unknown. An echo cannot be faster than the link, there and back, and where there is a line, its
   * slope is hardly steeper than its error allows.
   */
  double atLeastBps(long nowNanos) {
    long from = nowNanos - SHORT_NANOS;
    double fastest =
        echoes.stream()
            .filter(echo -> echo.atNanos - from >= 0)
            .mapToDouble(echo -> atLeastBps(echo.bytes, echo.tookNanos))
            .max()
            .orElse(0);
    double byLine =
        line(from).map(line -> bps(Math.max(0, line.slope()) + 2 * line.slopeError())).orElse(0.0);
    return Math.max(fastest, byLine);
  }

  /** The min capacity that an echo proves. */
  static double atLeastBps(int bytes, long tookNanos) {
    return bps((double) tookNanos / bytes);
  }

  private void forgetBefore(long nanos) {
    while (!echoes.isEmpty() && echoes.peekFirst().atNanos - nanos < 0) {
      echoes.removeFirst();
    }
  }

  private Optional<Line> line(long fromNanos) {
    Map<Integer, List<Long>> bySize = new TreeMap<>();
    Set<Integer> sizes = latestSizes();
    for (Echo echo : echoes) {
      if (echo.atNanos - fromNanos >= 0 && sizes.contains(echo.bytes)) {
        bySize.computeIfAbsent(echo.bytes, any -> new ArrayList<>()).add(echo.tookNanos);
      }
    }
    bySize.values().removeIf(times -> times.size() < MIN_PER_SIZE);
    if (bySize.size() < MIN_SIZES) {
      return Optional.empty();
    }
    Line ofLeast = line(bySize, CapacityEstimator::min);
    boolean isEnough = bySize.values().stream().allMatch(times -> times.size() >= ENOUGH);
    Line ofFifth = isEnough ? line(bySize, CapacityEstimator::fifth) : ofLeast;
    return Optional.of(ofLeast.slopeError() <= ofFifth.slopeError() ? ofLeast : ofFifth);
  }

  /** Sizes that are no longer sent were disturbed by traffic of an earlier time. */
  private Set<Integer> latestSizes() {
    Set<Integer> sizes = new HashSet<>();
    for (Echo echo : echoes) {
      if (echo.atNanos - echoes.getLast().atNanos >= -SHORT_NANOS) {
        sizes.add(echo.bytes);
      }
    }
    return sizes;
  }

  private static Line line(
      Map<Integer, List<Long>> bySize, BiFunction<Integer, long[], Line.Point> point) {
    List<Line.Point> points = new ArrayList<>();
    bySize.forEach(
        (bytes, times) ->
            points.add(
                point.apply(bytes, times.stream().mapToLong(Long::longValue).sorted().toArray())));
    double usual = points.stream().mapToDouble(Line.Point::error).average().orElseThrow();
    return Line.through(
        points.stream()
            .map(each -> new Line.Point(each.x(), each.y(), wrongBy(each.error(), usual)))
            .toList());
  }

  /** Few echoes can be close together by chance: as a rule, all sizes are disturbed alike. */
  private static double wrongBy(double error, double usual) {
    return Math.hypot(CLOCK_NANOS, Math.max(error, usual));
  }

  /**
   * If what is added to round trips is distributed exponentially, the least of n has about as much
   * of it left as lies between it and the next, on average, and half of what lies between it and
   * the third.
   */
  private static Line.Point min(int bytes, long[] sorted) {
    double left = (sorted[2] - sorted[0]) / 2.0;
    return new Line.Point(bytes, sorted[0] - left, left);
  }

  /**
   * The round trip that a fifth of the echoes is faster than. Its standard error is sqrt(p (1 - p)
   * / n) / density, and the density follows from the distance between the 10 % and 30 % quantiles.
   */
  private static Line.Point fifth(int bytes, long[] sorted) {
    double apart = quantile(sorted, 0.3) - quantile(sorted, 0.1);
    return new Line.Point(bytes, quantile(sorted, 0.2), 2 * apart / Math.sqrt(sorted.length));
  }

  private static double quantile(long[] sorted, double part) {
    double place = part * (sorted.length - 1);
    int below = (int) place;
    double rest = place - below;
    return rest == 0 ? sorted[below] : sorted[below] + rest * (sorted[below + 1] - sorted[below]);
  }
}
