package io.malob.balancer.proactive;

import io.malob.algorithm.bucket.BucketAssignment;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.Match;

/**
 * The traffic of the buckets at one client edge, from the counters of rules: the rate of each
 * bucket, attempted connections, and whether enough buckets have traffic to meet the shares of
 * members. For one thread at a time.
 */
final class EdgeTraffic {
  /** How much a new rate weighs against those before. */
  private static final double SMOOTHING = 0.2;

  /** How much a new rate weighs if it decides which buckets move: chance must not move them. */
  private static final double SIZE_SMOOTHING = 0.05;

  /** At a lower rate, in packets per second, a bucket counts as empty. */
  private static final double MIN_RATE = 0.1;

  /** About the packets that a client sends in a short connection. */
  private static final double PACKETS_PER_CONNECTION = 4;

  /** The min time between two readings of a counter, in seconds. */
  private static final double MIN_SECONDS = 0.1;

  /** Above this imbalance for a while, clients are too few to meet the shares. */
  private static final double MAX_IMBALANCE = 0.05;

  private static final long UNMET_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** In packets per second; with less traffic, the imbalance is chance. */
  private static final double MIN_TRAFFIC = 1;

  /** What an edge without traffic counts, in packets per second. */
  private static final double MIN_WEIGHT = 1;

  private static final long UNKNOWN = -1;

  private Counter[] counters = new Counter[0];

  /** That of the edges whose buckets follow those of this edge. */
  private List<EdgeTraffic> followers = List.of();

  /** Whether buckets are by port, see {@link #sizes}. */
  private boolean hasEqualBuckets;

  /** Whether rates of buckets were measured since the last call of {@link #takeNewRates}. */
  private boolean hasNewRates;

  /** The imbalance of the assignment, by measured traffic. */
  private double imbalance;

  /** Since when the shares are not met although no bucket moves. */
  private long unmetSinceNanos;

  private boolean tooFewSources;

  /** The counters of the rules that count SYNs. */
  private final Map<Match, Long> syns = new HashMap<>();

  /** SYNs per second of each of these rules, between the latest two polls. */
  private final Map<Match, Double> synRates = new HashMap<>();

  /** What is known of the counter of a bucket's rule. */
  private static final class Counter {
    /**
     * The packets at the last poll. Unknown at first: some switches keep the counter when a rule is
     * replaced, others begin anew.
     */
    long packets = UNKNOWN;

    /** How many rates have been read. */
    int samples;

    /** Packets per second, smoothed. */
    double rate;
  }

  /** The edge gets buckets whose traffic is not known. */
  void begin(BucketKey key) {
    hasEqualBuckets = key.source() == BucketSource.PORT;
    counters = Stream.generate(Counter::new).limit(key.count()).toArray(Counter[]::new);
  }

  /** Each bucket splits into equal parts, so that there are more buckets. */
  void split(int count) {
    Counter[] coarse = counters;
    counters = new Counter[count];
    for (int index = 0; index < count; index++) {
      Counter before = coarse[index & (coarse.length - 1)];
      Counter counter = new Counter();
      counter.rate = before.rate * coarse.length / count;
      counter.samples = before.samples;
      counters[index] = counter;
    }
  }

  /** The edge has no buckets any more. */
  void clear() {
    counters = new Counter[0];
    imbalance = 0;
    tooFewSources = false;
    syns.clear();
    synRates.clear();
  }

  /** The edge is in another state: it takes a while until shares count as not met. */
  void awaitBalance(long nowNanos) {
    unmetSinceNanos = nowNanos;
  }

  /** A bucket has got another rule, whose counter may begin anew. */
  void replaced(int bucket) {
    counters[bucket].packets = UNKNOWN;
  }

  /**
   * Takes over the counter of a bucket's rule.
   *
   * @param seconds the time since it was read last
   */
  void counted(int bucket, long packets, double seconds) {
    Counter counter = counters[bucket];
    long before = counter.packets;
    counter.packets = packets;
    if (before == UNKNOWN) {
      return;
    }
    long more = packets >= before ? packets - before : packets;
    counter.samples++;
    double smoothing = hasEqualBuckets ? SMOOTHING : SIZE_SMOOTHING;
    // the first rates are averaged, so that buckets that were not read meanwhile compare with
    // others
    counter.rate +=
        Math.max(smoothing, 1.0 / counter.samples)
            * (more / Math.max(seconds, MIN_SECONDS) - counter.rate);
    hasNewRates = true;
  }

  /**
   * Takes over the counter of a rule that counts SYNs.
   *
   * @param seconds the time since it was read last
   */
  void synsCounted(Match rule, long packets, double seconds) {
    @Nullable Long before = syns.put(rule, packets);
    if (before != null) {
      synRates.put(rule, Math.max(0, packets - before) / Math.max(seconds, MIN_SECONDS));
    }
  }

  /**
   * Connections per second that clients attempt, by the SYNs if the switch counts them, or else
   * estimated.
   */
  double arrivalsPerSecond() {
    return syns.isEmpty()
        ? packetsPerSecond() / PACKETS_PER_CONNECTION
        : synRates.values().stream().mapToDouble(rate -> rate).sum();
  }

  double packetsPerSecond() {
    return Arrays.stream(counters).mapToDouble(counter -> counter.rate).sum();
  }

  /** What the traffic counts in comparison with other edges, in packets per second. */
  double weight() {
    return Math.max(MIN_WEIGHT, packetsPerSecond());
  }

  /** Their traffic counts when buckets are judged, and when they move. */
  void setFollowers(List<EdgeTraffic> edges) {
    followers = edges;
  }

  /** The rate of a bucket at all these edges together, as far as they have the same buckets. */
  private double rate(int bucket) {
    double rate = counters[bucket].rate;
    for (EdgeTraffic each : followers) {
      if (each.counters.length == counters.length) {
        rate += each.counters[bucket].rate;
      }
    }
    return rate;
  }

  /** Whether rates of buckets were measured since the last call. */
  boolean takeNewRates() {
    boolean before = hasNewRates;
    hasNewRates = false;
    return before;
  }

  /**
   * The sizes of buckets for an assignment. Ports spread each client's connections evenly, so that
   * those buckets are equal; a few long downloads must not move them. Addresses do not.
   */
  double[] sizes() {
    return IntStream.range(0, counters.length)
        .mapToDouble(bucket -> hasEqualBuckets ? 1 : rate(bucket))
        .toArray();
  }

  boolean hasEqualBuckets() {
    return hasEqualBuckets;
  }

  /**
   * Whether a bucket has no traffic while the shares cannot be met anyhow: to move it changes
   * nothing.
   */
  boolean isIdle(int bucket) {
    return tooFewSources && !isActive(bucket);
  }

  private boolean isActive(int bucket) {
    return rate(bucket) >= MIN_RATE;
  }

  /** The buckets that have traffic. */
  int[] active() {
    return IntStream.range(0, counters.length).filter(this::isActive).toArray();
  }

  /**
   * Finds out whether the buckets that have traffic can meet the shares; true if they have just
   * become too few.
   *
   * @param assigned the member of each bucket, as an index of the shares
   * @param isChanging whether buckets move
   */
  boolean judge(int[] assigned, double[] shares, boolean isChanging, long nowNanos) {
    int[] active = active();
    double[] all = sizes();
    // ports reach all buckets in time: only much traffic in few buckets tells anything
    double minTraffic = hasEqualBuckets ? MIN_TRAFFIC * counters.length : MIN_TRAFFIC;
    imbalance =
        IntStream.range(0, counters.length).mapToDouble(this::rate).sum() > minTraffic
            ? BucketAssignment.imbalance(
                Arrays.stream(active).map(bucket -> assigned[bucket]).toArray(),
                shares,
                Arrays.stream(active).mapToDouble(bucket -> all[bucket]).toArray())
            : 0;
    if (isChanging || imbalance <= MAX_IMBALANCE) {
      unmetSinceNanos = nowNanos;
    }
    boolean wereTooFew = tooFewSources;
    boolean tooFew = nowNanos - unmetSinceNanos >= UNMET_NANOS;
    tooFewSources = tooFew || (wereTooFew && (isChanging || imbalance > MAX_IMBALANCE / 2));
    return tooFew && !wereTooFew;
  }

  /** Another edge judges the buckets. */
  void leaveJudgement(long nowNanos) {
    followers = List.of();
    imbalance = 0;
    tooFewSources = false;
    awaitBalance(nowNanos);
  }

  /** The imbalance of the assignment, from 0 to 1, as of the last judgement. */
  double imbalance() {
    return imbalance;
  }

  /** Whether too few buckets have traffic to meet the shares. */
  boolean hasTooFewSources() {
    return tooFewSources;
  }
}
