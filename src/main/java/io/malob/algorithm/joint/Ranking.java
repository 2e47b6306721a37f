package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.joint.JointRule.RatedPaths;
import io.malob.algorithm.server.TournamentTree;
import io.malob.algorithm.server.TurnHash;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The sites, the best first, for the clients at one switch, within one snapshot. All are rated
 * once, when the ranking is created. After that, each choice rates the first site again, which
 * moves back if it has become worse, and one other site in turn, which may have become better; if
 * there are few sites, all. So a choice costs O(log sites), and the order follows the loads.
 * Thread-safe.
 */
final class Ranking {
  private static final int MAX_TRIES = 4;

  /** Of up to so many sites, each choice rates all again; of more, one in turn. */
  private static final int FEW_SITES = 4;

  private final JointRule rule;
  private final NetworkSnapshot network;
  private final Request like;
  private final ImmutableList<Site> sites;
  private final AtomicReferenceArray<@Nullable RatedPaths> ways;
  private final TournamentTree order;
  private final AtomicInteger turn = new AtomicInteger();

  /** Whether it was used for a choice since {@link #takeUsed}. */
  private volatile boolean used;

  /**
   * Rates all sites.
   *
   * @param like one of the requests that the ranking serves
   * @param sites not empty
   */
  Ranking(JointRule rule, NetworkSnapshot network, Request like, ImmutableList<Site> sites) {
    this.rule = rule;
    this.network = network;
    this.like = like;
    this.sites = sites;
    this.ways = new AtomicReferenceArray<>(sites.size());
    for (int site = 0; site < sites.size(); site++) {
      ways.set(site, rated(site));
    }
    this.order = new TournamentTree(sites.size(), this::better);
  }

  private Ranking(Ranking before, NetworkSnapshot network) {
    this.rule = before.rule;
    this.network = network;
    this.like = before.like;
    this.sites = before.sites;
    this.ways = new AtomicReferenceArray<>(sites.size());
    for (int site = 0; site < sites.size(); site++) {
      ways.set(site, before.ways.get(site));
    }
    this.order = new TournamentTree(sites.size(), this::better);
    this.turn.set(before.turn.get());
  }

  /** The same ranking in another network: all sites are rated there, and turns go on. */
  Ranking in(NetworkSnapshot other) {
    Ranking next = new Ranking(rule, other, like, sites);
    next.turn.set(turn.get());
    return next;
  }

  /** Rates all sites again. */
  void rateAll() {
    for (int site = 0; site < sites.size(); site++) {
      rate(site);
    }
  }

  /** Whether it was used for a choice since the last call, or since its creation. */
  boolean takeUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  /** A copy of the ranking for a trial. */
  Ranking trial(NetworkSnapshot trialNetwork) {
    return new Ranking(this, trialNetwork);
  }

  private @Nullable RatedPaths rated(int site) {
    return rule.best(network, like, sites.get(site).next(like)).orElse(null);
  }

  private int better(int a, int b) {
    return compare(ways.get(a), ways.get(b)) <= 0 ? a : b;
  }

  /** Those that cannot be reached come last. */
  private static int compare(@Nullable RatedPaths a, @Nullable RatedPaths b) {
    if (a == null || b == null) {
      return Boolean.compare(a == null, b == null);
    }
    return a.compareTo(b);
  }

  /**
   * The best site now. A site whose servers are in slow start is skipped in proportion to their
   * missing share.
   */
  int best() {
    if (!used) {
      used = true;
    }
    if (sites.size() == 1) {
      return freshBest();
    }
    int now = turn.getAndIncrement();
    int rated = sites.size() <= FEW_SITES ? sites.size() : 1;
    for (int i = 0; i < rated; i++) {
      rate(Integer.remainderUnsigned(now * rated + i, sites.size()));
    }
    int best = freshBest();
    if (isIn(now, best)) {
      return best;
    }
    int second = order.bestWithout(best);
    return isIn(now, second) ? second : bestOfThoseIn(now, best);
  }

  /** Whether a site is not skipped for a choice. */
  private boolean isIn(int now, int site) {
    return TurnHash.isAmong((long) now * sites.size() + site, sites.get(site).share());
  }

  /** Linear, but rare: several of the best sites are in slow start. */
  private int bestOfThoseIn(int now, int otherwise) {
    int best = otherwise;
    for (int site = 0; site < sites.size(); site++) {
      if (isIn(now, site) && (best == otherwise || better(best, site) == site)) {
        best = site;
      }
    }
    return best;
  }

  private int freshBest() {
    int best = order.best();
    for (int tries = 0; tries < MAX_TRIES && rate(best); tries++) {
      int next = order.best();
      if (next == best) {
        break;
      }
      best = next;
    }
    return best;
  }

  /** Rates a site again; tells whether it has become worse. */
  private boolean rate(int site) {
    @Nullable RatedPaths now = rated(site);
    // atomically: a value that another thread has written meanwhile must not count as ordered
    @Nullable RatedPaths before = ways.getAndSet(site, now);
    int change = compare(now, before);
    if (change != 0) {
      order.changed(site);
    }
    return change > 0;
  }

  /** How to reach a site; null if it cannot be reached. */
  @Nullable RatedPaths way(int site) {
    return ways.get(site);
  }

  /** All sites, the best first, as they were last rated. */
  int[] inOrder() {
    return IntStream.range(0, sites.size())
        .boxed()
        .sorted(Comparator.comparing(ways::get, Ranking::compare))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
