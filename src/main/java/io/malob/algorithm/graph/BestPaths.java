package io.malob.algorithm.graph;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The best path between one switch, the root, and each other switch, in one {@link Direction}:
 * found by a {@link BestPathSearch}, which defines the order. Immutable but for the {@link Path}
 * objects that it remembers; thread-safe. A look-up never searches.
 */
public final class BestPaths {
  /** The direction of the paths. */
  enum Direction {
    FROM_ROOT,
    TO_ROOT;

    /** The end of a link that is nearer to the root on a path over it. */
    int inner(Adjacency graph, int link) {
      return this == FROM_ROOT ? graph.source(link) : graph.target(link);
    }

    /** The other end. */
    int outer(Adjacency graph, int link) {
      return this == FROM_ROOT ? graph.target(link) : graph.source(link);
    }
  }

  private final Adjacency graph;
  private final DatapathId root;
  private final Direction direction;
  private final LinkMetrics metrics;
  private final Found found;
  private final Path within;

  /** By switch: its path, once it was asked for. */
  private final AtomicReferenceArray<@Nullable Path> paths;

  /**
   * The result of a search, by switch.
   *
   * @param widths the bottleneck of its path: infinite at the root, negative if there is none
   * @param ways the paths by number, and the paths that are parts of them
   * @param paths the number of its path; {@link SharedPaths#NONE} if there is none
   * @param costs the cost of its path, also over narrower links; null if no longer known
   * @param used by link: whether a path uses it
   * @param effort how many links the search examined
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, written only by the search
  record Found(
      double[] widths,
      SharedPaths ways,
      int[] paths,
      @Nullable CostsByWidth costs,
      boolean[] used,
      long effort) {}

  BestPaths(
      Adjacency graph,
      DatapathId root,
      Direction direction,
      LinkMetrics metrics,
      Found found,
      AtomicReferenceArray<@Nullable Path> paths) {
    this.graph = graph;
    this.root = root;
    this.direction = direction;
    this.metrics = metrics;
    this.found = found;
    this.within = Path.within(root);
    this.paths = paths;
  }

  /** The switch that the paths begin or end at. */
  public DatapathId root() {
    return root;
  }

  /** Whether the paths lead from the root to the others, not the other way round. */
  public boolean isFromRoot() {
    return direction == Direction.FROM_ROOT;
  }

  Direction direction() {
    return direction;
  }

  LinkMetrics metrics() {
    return metrics;
  }

  Adjacency graph() {
    return graph;
  }

  /**
   * The best paths without some links, at the costs and widths of this search. If no path uses the
   * links, the paths stay. Then the costs by width that {@link #holds} compares still include the
   * removed links: the best of more paths is also the best of fewer.
   *
   * @param repairing whether paths over the links are repaired
   * @return null if a repair is needed but not requested
   */
  @Nullable BestPaths without(RemovedLinks removed, boolean repairing) {
    Adjacency after = removed.after();
    LinkMetrics left = removed.left(metrics);
    if (removed.areUnused(found.used)) {
      SharedPaths same = found.ways.unbrokenBy(removed);
      boolean[] used = same.used(after.linkCount());
      Found unbroken =
          new Found(found.widths, same, found.paths, found.costs, used, /* effort= */ 0);
      return new BestPaths(after, root, direction, left, unbroken, paths);
    }
    if (!repairing) {
      return null;
    }
    int[] leftPaths = found.paths.clone();
    SharedPaths leftWays = found.ways.without(removed, leftPaths);
    Found repaired =
        BestPathSearch.repair(
            after, after.number(root), direction, left, found, leftWays, leftPaths);
    AtomicReferenceArray<@Nullable Path> known = new AtomicReferenceArray<>(leftPaths.length);
    for (int i = 0; i < leftPaths.length; i++) {
      if (leftPaths[i] != SharedPaths.NONE) {
        known.setPlain(i, paths.get(i));
      }
    }
    return new BestPaths(after, root, direction, left, repaired, known);
  }

  /** The path between two switches, one of which is the root; empty if there is none. */
  public Optional<Path> path(DatapathId src, DatapathId dst) {
    DatapathId other = other(src, dst);
    if (other.equals(root)) {
      return Optional.of(within);
    }
    int number = graph.number(other);
    if (number < 0 || found.widths[number] < 0) {
      return Optional.empty();
    }
    @Nullable Path known = paths.get(number);
    if (known != null) {
      return Optional.of(known);
    }
    Path path = pathOf(number, src);
    // another thread may have been faster: there is one object for each path
    @Nullable Path earlier = paths.compareAndExchange(number, null, path);
    return Optional.of(earlier == null ? path : earlier);
  }

  private DatapathId other(DatapathId src, DatapathId dst) {
    return direction == Direction.FROM_ROOT ? dst : src;
  }

  private Path pathOf(int number, DatapathId src) {
    int[] links = found.ways.linksInwards(found.paths[number]);
    ImmutableList.Builder<DirectedLink> inOrder =
        ImmutableList.builderWithExpectedSize(links.length);
    for (int i = 0; i < links.length; i++) {
      inOrder.add(graph.link(links[direction == Direction.TO_ROOT ? i : links.length - 1 - i]));
    }
    return new Path(src, inOrder.build());
  }

  /**
   * The bottleneck of the path between two switches, one of which is the root, when it was searched
   * for; 0 if there is none.
   */
  public double width(DatapathId src, DatapathId dst) {
    int number = graph.number(other(src, dst));
    return number < 0 ? 0 : Math.max(0, found.widths[number]);
  }

  /** How many links the search, or the repair, examined. */
  public long effort() {
    return found.effort;
  }

  /**
   * Whether a search with these costs and widths would find the same paths again, or paths that are
   * better by no more than noise. One pass over the changed links; false if that does not prove it.
   *
   * @param unlike the result of {@link LinkMetrics#unlike} for them
   */
  boolean holds(LinkMetrics now, int[] unlike) {
    @Nullable CostsByWidth known = found.costs;
    if (known == null) {
      return unlike.length == 0;
    }
    for (int link : unlike) {
      double widthBefore = metrics.widths().of(link);
      double width = now.widths().of(link);
      boolean isWider = metrics.isWider(link, now);
      boolean costsOther = metrics.costsOther(link, now);
      if ((found.used[link] && (costsOther || metrics.isNarrower(link, now)))
          || (isWider && wouldWiden(link, width))
          || (costsOther && couldBeCheaper(known, link, now.costs(), 0, width))
          || (isWider && couldBeCheaper(known, link, now.costs(), widthBefore, width))) {
        return false;
      }
    }
    return true;
  }

  /** Whether a link of that width would give the switch behind it a wider path. */
  private boolean wouldWiden(int link, double width) {
    double inner = found.widths[direction.inner(graph, link)];
    return Math.min(inner, width) > found.widths[direction.outer(graph, link)];
  }

  /**
   * Whether a path over a link could be at least as cheap as a found path, among paths whose
   * bottleneck is wider than one width and not wider than another.
   */
  private boolean couldBeCheaper(
      CostsByWidth known, int link, LinkCosts costsNow, double above, double upTo) {
    int inner = known.narrowest(direction.inner(graph, link));
    int outer = known.narrowest(direction.outer(graph, link));
    // from the narrowest paths to the widest
    while (inner != CostsByWidth.NONE && outer != CostsByWidth.NONE) {
      double width = Math.min(upTo, Math.min(known.width(inner), known.width(outer)));
      if (width > above && known.isAsCheap(inner, link, costsNow, outer)) {
        return true;
      }
      if (width == upTo) {
        return false;
      }
      inner = known.width(inner) == width ? known.wider(inner) : inner;
      outer = known.width(outer) == width ? known.wider(outer) : outer;
    }
    return false;
  }
}
