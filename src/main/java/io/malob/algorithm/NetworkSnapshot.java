package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.PathTree;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.WidestPaths;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The network at one moment: switches, links, and what is known of the links. Immutable but for
 * what it remembers of its own results: paths are searched for once per source switch, when first
 * asked for, and then looked up. Thread-safe.
 */
public final class NetworkSnapshot {

  /** A network without switches. */
  public static final NetworkSnapshot EMPTY = new NetworkSnapshot(Topology.EMPTY);

  /**
   * A path that has lost more than a fifth of its share to new connections is searched for again.
   */
  private static final double KEPT_PART = 0.8;

  /** How many alternatives between two switches are known. */
  private static final int SHORTEST_PATHS = 4;

  /** How many links all repeated searches within one snapshot may look at, some 10 ms in all. */
  private static final int MAX_LINKS_SEARCHED = 1_000_000;

  private final LinkValues values;
  private final Trees fewestHops;
  private final Trees lowestLatency;
  private final Map<DatapathId, WidestPaths> widest = new ConcurrentHashMap<>();
  private final Shortest shortest;
  private final AtomicInteger linksToSearch = new AtomicInteger(MAX_LINKS_SEARCHED);

  /** A network of whose links nothing is known. */
  public NetworkSnapshot(Topology topology) {
    this(LinkValues.unknown(topology));
  }

  /** A network with what is known of its links. */
  public NetworkSnapshot(LinkValues values) {
    this(values, new Shortest(values));
  }

  private NetworkSnapshot(LinkValues values, Shortest shortest) {
    this(values, shortest, new Trees(values::fewestHops), new Trees(values::lowestLatency));
  }

  private NetworkSnapshot(
      LinkValues values, Shortest shortest, Trees fewestHops, Trees lowestLatency) {
    this.values = values;
    this.shortest = shortest;
    this.fewestHops = fewestHops;
    this.lowestLatency = lowestLatency;
  }

  /**
   * The same network for a trial: it gives the paths that this one would give next, and what is
   * searched for there changes nothing here.
   */
  public NetworkSnapshot trial() {
    NetworkSnapshot trial = new NetworkSnapshot(values, shortest, fewestHops, lowestLatency);
    trial.widest.putAll(widest);
    trial.linksToSearch.set(linksToSearch.get());
    return trial;
  }

  /**
   * The network with new values. Of the same topology, the paths that are as good as before are
   * kept, and those by latency that are not are searched for now, so that no connection waits.
   */
  public NetworkSnapshot with(LinkValues newValues) {
    boolean sameTopology = newValues.topology().equals(topology());
    boolean sameLatencies = sameTopology && newValues.hasLatenciesLike(shortest.values);
    NetworkSnapshot next =
        new NetworkSnapshot(newValues, sameLatencies ? shortest : new Shortest(newValues));
    if (sameTopology) {
      next.fewestHops.takeOver(fewestHops, newValues::fewestHopsHold);
      next.lowestLatency.takeOver(lowestLatency, newValues::lowestLatencyHolds);
      next.widest.putAll(newValues.widestThatHold(widest));
    }
    return next;
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
   * latency, then with the smaller switch ids; empty if there is none.
   */
  public Optional<Path> fewestHops(DatapathId src, DatapathId dst) {
    return fewestHops.path(src, dst);
  }

  /**
   * The path with the lowest sum of latencies, of several that with the fewest links, then with the
   * smaller switch ids; empty if there is none.
   */
  public Optional<Path> lowestLatency(DatapathId src, DatapathId dst) {
    return lowestLatency.path(src, dst);
  }

  /** Some paths without loops with the lowest latency, the best first; none if there is no way. */
  public ImmutableList<Path> shortest(DatapathId src, DatapathId dst) {
    return shortest.paths(src, dst);
  }

  /**
   * The path that gives a new connection the widest bottleneck, of several that with the lowest
   * latency, then with the fewest links, then with the smaller switch ids; empty if there is none.
   *
   * <p>When what was placed since has taken a fifth of it or more, it is searched for anew. In a
   * large and busy network there is no time for that at each connection; then the best of the paths
   * that are known is taken, until the next snapshot.
   */
  public Optional<Path> widest(DatapathId src, DatapathId dst) {
    @Nullable WidestPaths known = widest.get(src);
    if (known == null) {
      known = widest.computeIfAbsent(src, values::widest);
    }
    Optional<Path> path = known.pathTo(dst);
    if (path.isEmpty() || values.shareBps(path.get()) >= KEPT_PART * known.widthTo(dst)) {
      return path;
    }
    // asked first, so that the budget, once spent, does not count down until it wraps around
    if (linksToSearch.get() < 0 || linksToSearch.addAndGet(-topology().links().size()) < 0) {
      return wider(wider(path, lowestLatency(src, dst)), fewestHops(src, dst));
    }
    WidestPaths searched = values.widest(src);
    widest.put(src, searched);
    return searched.pathTo(dst);
  }

  private Optional<Path> wider(Optional<Path> a, Optional<Path> b) {
    return a.isPresent() && b.isPresent() && values.shareBps(b.get()) > values.shareBps(a.get())
        ? b
        : a;
  }

  /** The shortest paths between pairs of switches, searched for when first asked for. */
  private record Shortest(LinkValues values, Map<Ends, ImmutableList<Path>> byEnds) {
    private record Ends(DatapathId src, DatapathId dst) {}

    Shortest(LinkValues values) {
      this(values, new ConcurrentHashMap<>());
    }

    ImmutableList<Path> paths(DatapathId src, DatapathId dst) {
      return byEnds.computeIfAbsent(
          new Ends(src, dst), ends -> values.shortest(ends.src, ends.dst, SHORTEST_PATHS));
    }
  }

  /** The best paths by one rule, searched for once per source and put together once. */
  private static final class Trees {
    private final Function<DatapathId, PathTree> search;
    private final Map<DatapathId, Paths> bySource = new ConcurrentHashMap<>();

    Trees(Function<DatapathId, PathTree> search) {
      this.search = search;
    }

    Optional<Path> path(DatapathId src, DatapathId dst) {
      @Nullable Paths paths = bySource.get(src);
      if (paths == null) {
        paths = bySource.computeIfAbsent(src, source -> new Paths(search.apply(source)));
      }
      return paths.to(dst);
    }

    /** Keeps what holds, searches anew for what does not and is in use, forgets the rest. */
    void takeOver(Trees before, Predicate<PathTree> holds) {
      before.bySource.forEach(
          (source, paths) -> {
            if (holds.test(paths.tree)) {
              bySource.put(source, paths);
            } else if (paths.isInUse()) {
              bySource.put(source, new Paths(search.apply(source)));
            }
          });
    }
  }

  private static final class Paths {
    private final PathTree tree;
    private final Map<DatapathId, Optional<Path>> byDestination = new ConcurrentHashMap<>();

    Paths(PathTree tree) {
      this.tree = tree;
    }

    Optional<Path> to(DatapathId destination) {
      return byDestination.computeIfAbsent(destination, tree::pathTo);
    }

    boolean isInUse() {
      return !byDestination.isEmpty();
    }
  }
}
