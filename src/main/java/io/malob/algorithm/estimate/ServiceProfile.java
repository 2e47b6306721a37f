package io.malob.algorithm.estimate;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The expected traffic and service time of a service's connections, and the newest response times
 * of each member, learnt from ended connections. Thread-safe without locks; an expectation costs a
 * few volatile reads. Bounded: members beyond {@link #MAX_MEMBERS} are not distinguished.
 *
 * <p>Before anything is known, a reply of {@link #PRIOR_REPLY_BYTES}, a request of {@link
 * #PRIOR_REQUEST_BYTES} and a service time of {@link #PRIOR_SERVICE_NANOS} are expected: a small
 * web page, for which both the path and the load of the server matter. See {@link CappedMean} for
 * why these are means, and how values far from all others count.
 */
public final class ServiceProfile {
  /** The max number of members that are distinguished. */
  public static final int MAX_MEMBERS = 4_096;

  /** The number of first connections of a service that are all samples. */
  public static final int EAGER = 64;

  /** The sampling interval of later connections; a power of two. */
  public static final int ONE_IN = 16;

  private static final int SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(ONE_IN);
  private static final int GOLDEN = 0x9E3779B9;

  static final double PRIOR_REPLY_BYTES = 65_536;
  static final double PRIOR_REQUEST_BYTES = 2_048;
  static final double PRIOR_SERVICE_NANOS = 10e6;

  /** The number of connections that outweigh the prior. */
  private static final double PRIOR_SIZE_WEIGHT = 1;

  private static final double PRIOR_SERVICE_WEIGHT = 4;

  /** With this number of samples, a member's own mean and the service's mean have equal weight. */
  private static final double SHRINKAGE = 8;

  /** Longer residuals are pauses of the client. */
  private static final double MAX_SERVICE_NANOS = 3_600e9;

  /** Above this network time, the error of the guessed rate is as large as service times. */
  private static final double DOUBTFUL_NANOS = 1e9;

  private final Learnt replyBytes =
      new Learnt(CappedMean.expecting(PRIOR_REPLY_BYTES, PRIOR_SIZE_WEIGHT));
  private final Learnt requestBytes =
      new Learnt(CappedMean.expecting(PRIOR_REQUEST_BYTES, PRIOR_SIZE_WEIGHT));
  private final Learnt serviceNanos =
      new Learnt(CappedMean.expecting(PRIOR_SERVICE_NANOS, PRIOR_SERVICE_WEIGHT));
  private final Map<Integer, Learnt> byMember = new ConcurrentHashMap<>();

  /** By member, of connections that were placed by response times. */
  private final Map<Integer, ResponseTimes> responses = new ConcurrentHashMap<>();

  private final AtomicInteger placed = new AtomicInteger();
  private final AtomicInteger samples = new AtomicInteger();

  /**
   * A connection that has ended.
   *
   * @param memberNumber the number of its member in the catalog
   * @param memberWeight the member's weight, at least 1
   * @param inFlight how many connections the member had when this one was placed, without it
   * @param replyBytes what switches counted from member to client, headers included
   * @param requestBytes what switches counted from client to member, headers included
   * @param durationNanos from its placement to its end
   * @param networkNanos how much of that its paths explain, see {@link TransferTime}
   */
  public record Ended(
      int memberNumber,
      int memberWeight,
      long inFlight,
      long replyBytes,
      long requestBytes,
      double durationNanos,
      double networkNanos) {

    /**
     * The service time of an idle member of weight 1: the part of the duration that the network
     * does not explain, divided by the connections in flight.
     */
    double serviceNanos() {
      double residual = Math.max(0, durationNanos - networkNanos);
      return Math.min(MAX_SERVICE_NANOS, residual) * memberWeight / (inFlight + 1);
    }
  }

  /** A mean that several threads change. */
  private static final class Learnt {
    private final AtomicReference<CappedMean> mean;

    Learnt(CappedMean expected) {
      mean = new AtomicReference<>(expected);
    }

    CappedMean now() {
      return Objects.requireNonNull(mean.get());
    }

    void learn(double value, double weight) {
      mean.updateAndGet(before -> before.with(value, weight));
    }
  }

  /**
   * Whether the next connection is a sample: each of the first {@link #EAGER}, then one in {@link
   * #ONE_IN}. A fixed interval would keep step with round robin and sample only one member;
   * multiples of the golden ratio are spread evenly.
   */
  public boolean wantsNext() {
    int number = placed.getAndIncrement();
    return (number >= 0 && number < EAGER) || (number * GOLDEN) >>> SHIFT == 0;
  }

  /** Learns from one connection. */
  public void learn(Ended ended) {
    replyBytes.learn((double) ended.replyBytes, 1);
    requestBytes.learn((double) ended.requestBytes, 1);
    double nanos = ended.serviceNanos();
    double trust = DOUBTFUL_NANOS / (DOUBTFUL_NANOS + Math.max(0, ended.networkNanos));
    serviceNanos.learn(nanos, trust);
    @Nullable Learnt member =
        ofMember(
            byMember,
            ended.memberNumber,
            () -> new Learnt(CappedMean.expecting(PRIOR_SERVICE_NANOS, 0)));
    if (member != null) {
      member.learn(nanos, trust);
    }
    samples.incrementAndGet();
  }

  private static <T> @Nullable T ofMember(Map<Integer, T> all, int number, Supplier<T> first) {
    @Nullable T known = all.get(number);
    return known != null || all.size() >= MAX_MEMBERS
        ? known
        : all.computeIfAbsent(number, any -> first.get());
  }

  /**
   * A connection that was placed by response times has ended.
   *
   * @param memberNumber the number of its member in the catalog
   * @param inFlight how many others the member had when it was placed
   * @param nanos its duration without the network's part; not negative
   */
  public void responded(int memberNumber, long inFlight, double nanos) {
    @Nullable ResponseTimes ofMember = ofMember(responses, memberNumber, ResponseTimes::new);
    if (ofMember != null) {
      ofMember.add(inFlight, nanos);
    }
  }

  /** How long a member has taken for the service's connections lately. */
  public ResponseTimes.Newest responses(int memberNumber) {
    @Nullable ResponseTimes known = responses.get(memberNumber);
    return known == null ? ResponseTimes.NONE : known.newest();
  }

  /** Forgets members, so that there is room for others. */
  public void forgetMembers(IntPredicate which) {
    byMember.keySet().removeIf(which::test);
    responses.keySet().removeIf(which::test);
  }

  /** How much a new connection will carry from member to client, in bits on the wire. */
  public double expectedReplyBits() {
    return 8 * replyBytes.now().mean();
  }

  /** How much a new connection will carry from client to member, in bits on the wire. */
  public double expectedRequestBits() {
    return 8 * requestBytes.now().mean();
  }

  /**
   * The expected service time of an idle member of weight 1 for a new connection, in nanoseconds.
   * With others in flight it takes as many times as long as there are connections, this one
   * included, divided by its weight. As long as few connections of the member have been seen, it
   * counts mostly as the mean of the service.
   */
  public double expectedServiceNanos(int memberNumber) {
    double ofService = expectedServiceNanos();
    @Nullable Learnt known = byMember.get(memberNumber);
    if (known == null) {
      return ofService;
    }
    CappedMean own = known.now();
    return (own.mean() * own.weight() + ofService * SHRINKAGE) / (own.weight() + SHRINKAGE);
  }

  /** The same for an unknown member. */
  public double expectedServiceNanos() {
    return serviceNanos.now().mean();
  }

  /** The number of samples. */
  public int samples() {
    return samples.get();
  }

  /** The expected service time of each member with samples, in nanoseconds. */
  public Map<Integer, Double> serviceNanosByMember() {
    Map<Integer, Double> all = new TreeMap<>();
    byMember.keySet().forEach(number -> all.put(number, expectedServiceNanos(number)));
    return all;
  }
}
