package io.malob.bench.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Opens connections by a demand, and counts the results. On the event loop only. A connection's
 * time starts when its first packet is written and ends when the last of its messages has been
 * read.
 */
final class Load implements Site.Outcome {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MIN_SLOTS = 1_024;
  private static final int SLOTS_BY_RATE = 32_768;

  private final List<Site> sites;
  private final List<Outbox> outboxes;
  private final Faults faults;
  private Demand demand = new Demand.Outstanding(0);
  private boolean running;
  private int nextSite;
  private int outstanding;
  private long placed;
  private long failed;
  private long skipped;
  private long due;
  private long asked;
  private long limit;
  private long startNanos;

  private boolean measuring;
  private long placedBefore;
  private long placedAtMark;
  private long markNanos;
  private final List<Double> perSecond = new ArrayList<>();
  private Histogram latencies = newHistogram();
  private List<Histogram> bySite = List.of();
  private long pumpedNanos;
  private long maxPauseNanos;

  /**
   * The start time of the last connection that failed or took long; the start of the run if there
   * is none.
   */
  private long lastBadNanos;

  Load(List<Site> sites, List<Outbox> outboxes, Faults faults) {
    this.sites = sites;
    this.outboxes = outboxes;
    this.faults = faults;
  }

  /** Starts opening connections, up to that number. */
  void start(Demand newDemand, long newLimit) {
    demand = newDemand;
    limit = newLimit;
    int slots =
        demand instanceof Demand.Outstanding closed
            ? Math.max(MIN_SLOTS, Integer.highestOneBit(closed.connections()) * 8)
            : SLOTS_BY_RATE;
    sites.forEach(site -> site.prepare(slots));
    faults.clear();
    outstanding = 0;
    placed = 0;
    failed = 0;
    skipped = 0;
    due = 0;
    asked = 0;
    measuring = false;
    perSecond.clear();
    startNanos = System.nanoTime();
    lastBadNanos = startNanos;
    running = true;
    pump();
  }

  void startMeasuring() {
    latencies = newHistogram();
    bySite = sites.stream().map(site -> newHistogram()).toList();
    placedBefore = placed;
    placedAtMark = placed;
    markNanos = System.nanoTime();
    pumpedNanos = markNanos;
    maxPauseNanos = 0;
    measuring = true;
  }

  private static Histogram newHistogram() {
    Histogram histogram = new Histogram(3);
    histogram.setAutoResize(true);
    return histogram;
  }

  /** To be called every second of the measured time. */
  void mark() {
    if (isDone()) {
      return; // ended in the midst of it
    }
    long now = System.nanoTime();
    perSecond.add((placed - placedAtMark) * 1e9 / (now - markNanos));
    placedAtMark = placed;
    markNanos = now;
  }

  /** Opens no more; pending connections may complete. */
  Measurement stop() {
    running = false;
    measuring = false;
    return new Measurement(
        demand,
        List.copyOf(perSecond),
        latencies,
        bySite,
        placed - placedBefore,
        failed,
        skipped,
        placed,
        faults.counts(),
        faults.examples(),
        maxPauseNanos);
  }

  /** The measurement, with the faults of the connections that are still pending. */
  Measurement complete(Measurement stopped) {
    sites.forEach(Site::checkEven);
    return new Measurement(
        stopped.demand(),
        stopped.perSecond(),
        stopped.latencyNanos(),
        stopped.bySite(),
        stopped.placed(),
        failed,
        skipped,
        placed,
        faults.counts(),
        faults.examples(),
        stopped.maxPauseNanos());
  }

  /** The number of connections placed since the start, including the warm-up. */
  long placed() {
    return placed;
  }

  /** Whether all connections of the demand have ended. */
  boolean isDone() {
    return asked >= limit && outstanding == 0;
  }

  boolean isQuiet() {
    return outstanding == 0;
  }

  /** Opens the due connections. To be called every millisecond, and after each read. */
  void pump() {
    long now = System.nanoTime();
    if (measuring) {
      maxPauseNanos = Math.max(maxPauseNanos, now - pumpedNanos);
    }
    pumpedNanos = now;
    for (Site site : sites) {
      site.removeIdleRules(now);
    }
    if (running) {
      if (demand instanceof Demand.Outstanding closed) {
        while (outstanding < closed.connections() && asked < limit && ask(now)) {
          outstanding++;
        }
      } else if (demand instanceof Demand.Rate open) {
        askByRate(open.perSecond(), now);
      }
    }
    for (Outbox outbox : outboxes) {
      outbox.flush();
    }
  }

  private void askByRate(int rate, long now) {
    long dueNow = (long) ((now - startNanos) / 1e9 * rate);
    while (due < dueNow && asked < limit) {
      due++;
      if (ask(now)) {
        outstanding++;
      } else {
        skipped++;
      }
    }
  }

  private boolean ask(long now) {
    for (int tries = 0; tries < sites.size(); tries++) {
      Site site = sites.get(nextSite);
      nextSite = nextSite + 1 == sites.size() ? 0 : nextSite + 1;
      if (site.send(now)) {
        asked++;
        return true;
      }
    }
    return false;
  }

  /** To be called regularly. */
  void giveUpOld() {
    long before = System.nanoTime() - PATIENCE_NANOS;
    sites.forEach(site -> site.giveUpSentBefore(before));
  }

  @Override
  public void placed(int site, long nanos) {
    outstanding--;
    placed++;
    if (measuring) {
      latencies.recordValue(Math.max(0, nanos));
      bySite.get(site).recordValue(Math.max(0, nanos));
    }
    if (nanos > LONG_NANOS) {
      bad(nanos);
    }
  }

  @Override
  public void failed(long nanos) {
    outstanding--;
    failed++;
    bad(nanos);
  }

  private void bad(long nanos) {
    long begun = System.nanoTime() - nanos;
    if (begun - lastBadNanos > 0) {
      lastBadNanos = begun;
    }
  }

  /** The start time of the last connection that failed or took longer than 50 ms. */
  long lastBadNanos() {
    return lastBadNanos;
  }
}
