package io.malob.algorithm;

import io.malob.algorithm.estimate.ActiveCount;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntUnaryOperator;

/**
 * The load of one server: its connections, counted as they are placed and as they end, and what it
 * has reported. Connections are counted by any thread; reports are written by one at a time.
 */
public final class ServerLoad {
  /**
   * The assumed CPU use of a connection if no measurement is known, as a fraction of the server's
   * CPU.
   */
  private static final double DEFAULT_CPU_PER_CONNECTION = 0.1;

  private static final double MIN_CPU_PER_CONNECTION = 0.01;

  /** Above this, a server counts as fully used. */
  private static final double FULL_USE = 0.95;

  /** How much a new report weighs against those before it. */
  private static final double LEARNING_RATE = 0.3;

  /** The time that a connection adds to the wait of others if no response time is known. */
  private static final double DEFAULT_WAIT_NANOS = 1e6;

  private final ActiveCount active;

  /** How many of the active connections belong to other controllers. */
  private final AtomicInteger ofOthers = new AtomicInteger();

  private final IntUnaryOperator partOf;
  private final LongAdder total = new LongAdder();
  private volatile int direct;
  private volatile int estimated;

  /** The connections that switches were told to place since the last estimate. */
  private final AtomicInteger committed = new AtomicInteger();

  /** Those between the last two estimates, which the last one may lack. */
  private volatile int committedBefore;

  private volatile double share = 1;

  /** Not a number while unknown, as those below. */
  private volatile double cpuFraction = Double.NaN;

  private volatile double cpuPerConnection = Double.NaN;
  private volatile double responseNanos = Double.NaN;

  /** The load of a server without connections that has not reported yet. */
  public ServerLoad() {
    this(IntUnaryOperator.identity());
  }

  /**
   * The same in a cluster.
   *
   * @param partOf this controller's part of a limit
   */
  public ServerLoad(IntUnaryOperator partOf) {
    this(new ActiveCount(), partOf);
  }

  private ServerLoad(ActiveCount active, IntUnaryOperator partOf) {
    this.active = active;
    this.partOf = partOf;
  }

  /**
   * A copy for a trial, without some of the connections that are open or estimated, as if they had
   * ended since the last report: the same reports, share and direct connections.
   */
  public ServerLoad without(int connections) {
    ServerLoad copy = new ServerLoad(active.without(connections, estimated()), partOf);
    copy.ofOthers.set(Math.min(ofOthers.get(), copy.active()));
    copy.direct = direct;
    copy.share = share;
    copy.cpuFraction = cpuFraction;
    copy.cpuPerConnection = cpuPerConnection;
    copy.responseNanos = responseNanos;
    return copy;
  }

  /** Counts several connections of a trial; a negative number takes them back. */
  public void add(int connections) {
    active.add(connections);
  }

  /** Counts a connection that was placed on the server. */
  public void opened() {
    active.add(1);
    placed();
  }

  /** Adds a connection to the total; it is already counted as open. */
  public void placed() {
    placed(1);
  }

  /** Adds connections to the total, for instance those that switches have placed. */
  public void placed(long connections) {
    total.add(connections);
  }

  /**
   * Counts a connection as open, unless the limit or this controller's part of it is reached.
   *
   * @return whether it was counted
   */
  public boolean take(int limit) {
    boolean isCounted = active.addOne(limit);
    if (isCounted && own() > partOf.applyAsInt(limit)) {
      active.add(-1);
      return false;
    }
    return isCounted;
  }

  /** Whether the limit, or this controller's part of it, is reached. */
  public boolean isFull(int limit) {
    int placed = estimated();
    return active() + placed >= limit || own() + placed >= partOf.applyAsInt(limit);
  }

  /** Of the open connections, this many more belong to other controllers; fewer if negative. */
  public void addOfOthers(int connections) {
    ofOthers.addAndGet(connections);
  }

  /** How many of the open connections belong to this controller. */
  private int own() {
    return active.now() - ofOthers.get();
  }

  /** Counts a connection that went on after a pause in which it had been counted as ended. */
  public void resumed() {
    active.add(1);
  }

  /** Counts the end of a connection. */
  public void closed() {
    active.add(-1);
  }

  /** The part of its full share that the server is to get now, above 0 and up to 1. */
  public double share() {
    return share;
  }

  /** Takes over another share; see {@link io.malob.algorithm.health.SlowStart}. */
  public void setShare(double newShare) {
    share = newShare;
  }

  /** How many connections are open. */
  public int active() {
    return active.now();
  }

  /**
   * Takes over how many connections the server has that were not placed on it, as far as that is
   * known. To be called by one thread at a time.
   */
  public void setDirect(int connections) {
    direct = connections;
  }

  /** How many connections the server has that were not placed on it, as was last reported. */
  public int direct() {
    return direct;
  }

  /**
   * Takes over how many connections switches have placed on the server without the controller, as
   * far as can be estimated. To be called by one thread at a time.
   */
  public void setEstimated(int connections) {
    estimated = connections;
    committedBefore = committed.getAndSet(0);
  }

  /** Counts a connection that a switch was told to place on the server. */
  public void commit() {
    committed.incrementAndGet();
  }

  /** How many connections switches have placed on the server, as estimated. */
  public int estimated() {
    return estimated + committed.get() + committedBefore;
  }

  /**
   * How many connections the server has: those that are open, those that switches have placed, and
   * direct ones.
   */
  public long present() {
    return (long) active.now() + estimated() + direct;
  }

  /** How many connections count for a choice. */
  public long present(Counting counting) {
    return counting == Counting.PLACED_SINCE
        ? present()
        : (long) active.atMeasurement() + estimated() + direct;
  }

  /** How many connections were ever placed. */
  public long total() {
    return total.sum();
  }

  /**
   * The server has reported. To be called once for each report.
   *
   * @param newCpuFraction use of its processors since its last report, from 0 to 1; not a number if
   *     unknown
   * @param newResponseNanos how long its service takes to answer; not a number if unknown
   */
  public void reported(double newCpuFraction, double newResponseNanos) {
    learnCpuPerConnection(newCpuFraction);
    active.measured();
    cpuFraction = newCpuFraction;
    responseNanos = newResponseNanos;
  }

  /**
   * At full utilization, a connection takes at least its part; its further demand cannot be
   * measured.
   */
  private void learnCpuPerConnection(double fraction) {
    double present = (active.now() + active.atMeasurement()) / 2.0 + estimated() + direct;
    if (fraction >= 0 && present >= 1) {
      double seen = Math.max(MIN_CPU_PER_CONNECTION, fraction / present);
      double before = Double.isNaN(cpuPerConnection) ? seen : cpuPerConnection;
      cpuPerConnection =
          fraction < FULL_USE || seen > before ? before + LEARNING_RATE * (seen - before) : before;
    }
  }

  /** The last report of the server is too old. */
  public void forgetReport() {
    cpuFraction = Double.NaN;
    responseNanos = Double.NaN;
  }

  /**
   * The expected CPU utilization with one more connection, as a fraction, possibly above 1: the
   * reported one, plus the observed utilization per connection for each connection placed since. A
   * server whose utilization is unknown counts as fully used.
   */
  public double expectedCpu(Counting counting) {
    double reported = Double.isNaN(cpuFraction) ? 1 : cpuFraction;
    if (counting == Counting.MEASURED_ONLY) {
      return reported;
    }
    double each = Double.isNaN(cpuPerConnection) ? DEFAULT_CPU_PER_CONNECTION : cpuPerConnection;
    if (Double.isNaN(cpuFraction)) {
      return reported + (active.now() + 1) * each;
    }
    double busy = Math.max(0, reported + active.sinceMeasured() * each);
    // the report of a full server does not show the demand beyond its capacity
    return (reported < FULL_USE ? busy : Math.max(busy, present() * each)) + each;
  }

  /**
   * The expected response time of a new connection, in nanoseconds: the reported one, increased by
   * the connections placed since. Without a known response time, each open connection counts for a
   * millisecond.
   *
   * @param weight how many connections it serves in parallel
   */
  public double expectedWaitNanos(int weight, Counting counting) {
    if (counting == Counting.MEASURED_ONLY) {
      return Double.isNaN(responseNanos) ? 0 : responseNanos;
    }
    if (Double.isNaN(responseNanos)) {
      return DEFAULT_WAIT_NANOS * Math.max(0, present()) / weight;
    }
    double each = responseNanos / (1 + Math.max(0, active.covered()) + estimated() + direct);
    return Math.max(each, responseNanos + active.sinceMeasured() * each);
  }
}
