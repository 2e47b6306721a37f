package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.algorithm.KnownAlternatives.Pair;
import io.malob.algorithm.graph.BestPaths;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathOrder;
import io.malob.algorithm.graph.PathSearches;
import io.malob.algorithm.graph.Topology;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The network at one moment: switches, links, values of the links, and known paths. Thread-safe.
 *
 * <p>The writer of snapshots searches for paths before it publishes one: {@link #prepare} finds the
 * paths to and from the switches that have servers, {@link #with} those that another snapshot knew.
 * Threads that place connections only look paths up. If a path is not known, the writer's executor
 * searches for it; until then, the answer uses the known paths. A snapshot without such an executor
 * searches at once, on the calling thread.
 */
public final class NetworkSnapshot {

  /** A network without switches. */
  public static final NetworkSnapshot EMPTY = new NetworkSnapshot(Topology.EMPTY);

  /**
   * A path is searched again after it has lost more than a fifth of its share to new connections.
   */
  private static final double KEPT_PART = 0.8;

  /** A known path replaces another one if its share is wider by more than noise. */
  private static final double WIDER = 1.1;

  /**
   * The max number of links that the searches of one batch may examine, and that the repeated
   * searches of one snapshot for paths that have become too narrow may examine: about 50 ms.
   */
  private static final long MAX_EFFORT = 1_000_000;

  private final LinkValues values;
  private final @Nullable Executor writer;
  private final KnownPaths fewestHops;
  private final KnownPaths lowestLatency;
  private final KnownPaths widest;
  private final KnownAlternatives alternatives;

  /** Counts snapshots that followed one another. */
  private final long number;

  /** The pending searches of the writer's executor. */
  private final Set<Object> asked = ConcurrentHashMap.newKeySet();

  /** The switches with prepared paths to and from them. Used by the writer only. */
  private ImmutableSet<DatapathId> roots = ImmutableSet.of();

  private volatile boolean isComplete = true;
  private volatile EffortBudget repeated = new EffortBudget(MAX_EFFORT);

  /** A network without link values that searches at once. */
  public NetworkSnapshot(Topology topology) {
    this(LinkValues.unknown(topology));
  }

  /** A network with link values that searches at once. */
  public NetworkSnapshot(LinkValues values) {
    this(values, null);
  }

  /**
   * A network with link values.
   *
   * @param writer runs searches for what was asked for and is not known, one after the other; null
   *     to search at once
   */
  public NetworkSnapshot(LinkValues values, @Nullable Executor writer) {
    this(
        values,
        writer,
        new KnownPaths(PathOrder.FEWEST_HOPS),
        new KnownPaths(PathOrder.LOWEST_LATENCY),
        new KnownPaths(PathOrder.WIDEST),
        new KnownAlternatives(values),
        0);
  }

  private NetworkSnapshot(
      LinkValues values,
      @Nullable Executor writer,
      KnownPaths fewestHops,
      KnownPaths lowestLatency,
      KnownPaths widest,
      KnownAlternatives alternatives,
      long number) {
    this.values = values;
    this.writer = writer;
    this.fewestHops = fewestHops;
    this.lowestLatency = lowestLatency;
    this.widest = widest;
    this.alternatives = alternatives;
    this.number = number;
  }

  /**
   * The same network for a trial, which changes nothing here: it gives the paths that this one
   * gives as soon as those that are asked for are searched for. It searches at once.
   */
  public NetworkSnapshot trial() {
    return trial(MAX_EFFORT);
  }

  /**
   * The same, with less effort.
   *
   * @param maxEffort how many links the repeated searches for paths that have become too narrow may
   *     examine
   */
  public NetworkSnapshot trial(long maxEffort) {
    NetworkSnapshot trial =
        new NetworkSnapshot(
            values,
            /* writer= */ null,
            fewestHops.copy(),
            lowestLatency.copy(),
            widest.copy(),
            alternatives.copy(),
            number);
    trial.repeated = new EffortBudget(Math.min(maxEffort, repeated.left()));
    return trial;
  }

  /**
   * A trial again, with its own counts of connections on links, which may be changed: for each
   * round of a trial. Paths that do not depend on the counts are searched for once in all rounds,
   * and all rounds together search for too narrow paths as often as one trial.
   */
  public NetworkSnapshot trialRound() {
    NetworkSnapshot round =
        new NetworkSnapshot(
            values.trial(), writer, fewestHops, lowestLatency, widest.copy(), alternatives, number);
    round.repeated = repeated;
    return round;
  }

  /** The same network, with the same known paths, that searches at once; for the writer alone. */
  public NetworkSnapshot searchingAtOnce() {
    return writer == null
        ? this
        : new NetworkSnapshot(
            values, null, fewestHops, lowestLatency, widest, alternatives, number);
  }

  /**
   * Searches for the paths to and from the switches of servers, as far as they are not known yet.
   * By the writer alone.
   *
   * @param serverSwitches the switches that have servers
   * @param byWidth whether the widest paths are to be known, too
   * @return whether all are known; if not, it is to be called again
   */
  public boolean prepare(Set<DatapathId> serverSwitches, boolean byWidth) {
    roots = ImmutableSet.copyOf(Sets.intersection(serverSwitches, topology().switches()));
    PathSearches searches = values.searches();
    EffortBudget budget = new EffortBudget(MAX_EFFORT);
    isComplete =
        lowestLatency.searchForAll(roots, searches, budget, number)
            && fewestHops.searchForAll(roots, searches, budget, number)
            && (!byWidth || widest.searchForAll(roots, searches, budget, number));
    return isComplete;
  }

  /** Whether a path that is not given may be known in a moment. */
  public boolean isSearching() {
    return !isComplete || !asked.isEmpty();
  }

  /**
   * The network with new values; this one if they are the same. The paths that are as good as
   * before are kept, and the others searched for. After links were removed, the paths that do not
   * use them are kept, and the others repaired; after any other change of the topology, {@link
   * #prepare} searches for all. By the writer alone.
   */
  public NetworkSnapshot with(LinkValues newValues) {
    PathSearches searches = newValues.searches();
    EffortBudget budget = new EffortBudget(MAX_EFFORT);
    if (newValues.isSameAs(values)) {
      // connections that have come and gone change the widths
      widest.takeOver(widest, roots, searches, budget, number);
      repeated = new EffortBudget(MAX_EFFORT);
      return this;
    }
    NetworkSnapshot next =
        new NetworkSnapshot(
            newValues,
            writer,
            new KnownPaths(PathOrder.FEWEST_HOPS),
            new KnownPaths(PathOrder.LOWEST_LATENCY),
            new KnownPaths(PathOrder.WIDEST),
            alternativesWith(newValues, budget),
            number + 1);
    next.roots = roots;
    next.isComplete = isComplete;
    next.lowestLatency.takeOver(lowestLatency, roots, searches, budget, next.number);
    next.fewestHops.takeOver(fewestHops, roots, searches, budget, next.number);
    next.widest.takeOver(widest, roots, searches, budget, next.number);
    return next;
  }

  private KnownAlternatives alternativesWith(LinkValues newValues, EffortBudget budget) {
    if (!newValues.topology().equals(topology())) {
      return new KnownAlternatives(newValues);
    }
    return alternatives.hold(newValues) ? alternatives : alternatives.with(newValues, budget);
  }

  /** The switches and links. */
  public Topology topology() {
    return values.topology();
  }

  /** What is known of the links. */
  public LinkValues values() {
    return values;
  }

  /**
   * The path with the fewest links from one switch to another, of several that with the lowest
   * latency, then with the smaller switch ids; empty if there is none, or none is known.
   */
  public Optional<Path> fewestHops(DatapathId src, DatapathId dst) {
    return path(fewestHops, src, dst);
  }

  /**
   * The path with the lowest sum of latencies, of several that with the fewest links, then with the
   * smaller switch ids; empty if there is none, or none is known.
   */
  public Optional<Path> lowestLatency(DatapathId src, DatapathId dst) {
    return path(lowestLatency, src, dst);
  }

  private Optional<Path> path(KnownPaths known, DatapathId src, DatapathId dst) {
    @Nullable BestPaths paths = pathsTo(known, src, dst);
    if (paths != null) {
      return paths.path(src, dst);
    }
    return src.equals(dst) ? Optional.of(Path.within(src)) : Optional.empty();
  }

  /** The paths among which is the one between two switches; null if it is not known. */
  private @Nullable BestPaths pathsTo(KnownPaths known, DatapathId src, DatapathId dst) {
    @Nullable BestPaths paths = known.of(src, dst);
    if (paths != null || src.equals(dst)) {
      return paths;
    }
    ask(new PathsTo(known, dst), () -> known.searchTo(dst, values.searches(), number));
    return known.of(src, dst);
  }

  /**
   * Some paths without loops with the lowest latency, the best first; none if there is no way. As
   * long as these are not known, the best alone.
   */
  public ImmutableList<Path> shortest(DatapathId src, DatapathId dst) {
    Pair pair = new Pair(src, dst);
    @Nullable ImmutableList<Path> paths = alternatives.of(pair);
    if (paths == null) {
      ask(pair, () -> alternatives.search(pair));
      paths = alternatives.of(pair);
    }
    return paths == null
        ? lowestLatency(src, dst).map(ImmutableList::of).orElse(ImmutableList.of())
        : paths;
  }

  /**
   * The path that gives a new connection the widest bottleneck, of several that with the lowest
   * latency, then with the fewest links, then with the smaller switch ids; empty if there is none,
   * or none is known.
   *
   * <p>When what was placed since has taken a fifth of it or more, it is searched for anew. In a
   * large and busy network there is no time for that after each connection; then it waits for the
   * next snapshot. Connections that have ended since may have made another path wider: the best of
   * the known paths is taken.
   */
  public Optional<Path> widest(DatapathId src, DatapathId dst) {
    @Nullable BestPaths known = pathsTo(widest, src, dst);
    if (known == null) {
      return wider(lowestLatency(src, dst), fewestHops(src, dst));
    }
    Optional<Path> path = known.path(src, dst);
    if (path.isPresent() && values.shareBps(path.get()) < KEPT_PART * known.width(src, dst)) {
      path = again(known, src, dst);
    }
    return wider(wider(path, lowestLatency(src, dst)), fewestHops(src, dst));
  }

  /** The path after a new search, if that is done at once. */
  private Optional<Path> again(BestPaths known, DatapathId src, DatapathId dst) {
    EffortBudget budget = repeated;
    if (budget.isSpent()) {
      return known.path(src, dst);
    }
    ask(known, () -> budget.spend(widest.searchAgain(known, values.searches(), number).effort()));
    @Nullable BestPaths now = widest.of(src, dst);
    return (now == null ? known : now).path(src, dst);
  }

  private Optional<Path> wider(Optional<Path> a, Optional<Path> b) {
    return a.isPresent()
            && b.isPresent()
            && values.shareBps(b.get()) > WIDER * values.shareBps(a.get())
        ? b
        : a;
  }

  /** What is searched for: the paths to a switch, in one order. */
  private record PathsTo(KnownPaths known, DatapathId root) {}

  /** Has something searched for, once, however often it is asked for meanwhile. */
  private void ask(Object what, Runnable search) {
    if (writer == null) {
      search.run();
    } else if (!asked.contains(what) && asked.add(what)) {
      writer.execute(
          () -> {
            try {
              search.run();
            } finally {
              asked.remove(what);
            }
          });
    }
  }
}
