package io.malob.algorithm.graph;

import io.malob.algorithm.graph.BestPaths.Direction;
import io.malob.algorithm.graph.BestPaths.Found;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * One search for the best paths between one switch and all others: those with the widest
 * bottleneck; of these the cheapest; of these those with the smaller sequence of switch ids. Used
 * by one thread, once.
 *
 * <p>Links are added from the widest to the narrowest, those of one width at a time. A switch that
 * is first reached then has this width, and its path is the cheapest over the links added so far.
 * The path is recorded at once, since narrower links may make further paths cheaper. The search
 * continues as links are added, so it examines little more than the paths that have become cheaper
 * (an incremental search, as by G. Ramalingam and T. Reps, An incremental algorithm for a
 * generalization of the shortest-path problem, 1996). Where all links are equally wide, this is E.
 * W. Dijkstra's algorithm with pairs of costs.
 */
final class BestPathSearch {
  private final Adjacency graph;
  private final int root;
  private final Direction direction;
  private final LinkCosts costs;
  private final LinkWidths linkWidths;

  private final boolean[] added;

  /** By switch: the cost of the cheapest path; the greatest number if there is none yet. */
  private final long[] primary;

  private final long[] secondary;
  private final double[] widths;
  private final SwitchHeap seen;

  /** The switches whose paths have become cheaper since the last record. */
  private final int[] changed;

  private final boolean[] isChanged;
  private int changedCount;
  private int reached;
  private final CostsByWidth costsByWidth;

  /** By switch: the link at the outer end of its cheapest path. */
  private final int[] lastLinks;

  private final SharedPaths ways;

  /** By switch: its cheapest path when it was last settled. */
  private final int[] cheapest;

  /** By switch: its path. */
  private final int[] paths;

  private long effort;

  private BestPathSearch(
      Adjacency graph, int root, Direction direction, LinkMetrics metrics, SharedPaths ways) {
    this.graph = graph;
    this.root = root;
    this.direction = direction;
    this.costs = metrics.costs();
    this.linkWidths = metrics.widths();
    this.ways = ways;
    int switches = graph.switchCount();
    added = new boolean[graph.linkCount()];
    primary = new long[switches];
    secondary = new long[switches];
    Arrays.fill(primary, Long.MAX_VALUE);
    widths = new double[switches];
    Arrays.fill(widths, -1);
    seen = new SwitchHeap(switches, this::isCheaper);
    changed = new int[switches];
    isChanged = new boolean[switches];
    costsByWidth = new CostsByWidth(switches);
    lastLinks = new int[switches];
    Arrays.fill(lastLinks, SharedPaths.NONE);
    cheapest = new int[switches];
    paths = new int[switches];
    Arrays.fill(paths, SharedPaths.NONE);
  }

  /** The best paths between a root and all others; none if the root is not in the topology. */
  static BestPaths search(
      Adjacency graph, DatapathId root, Direction direction, LinkMetrics metrics) {
    BestPathSearch search = ended(graph, graph.number(root), direction, metrics);
    return new BestPaths(
        graph,
        root,
        direction,
        metrics,
        search.found(search.costsByWidth),
        new AtomicReferenceArray<>(graph.switchCount()));
  }

  /** A search for the cheapest paths between a root and all others, after its end. */
  static BestPathSearch cheapest(Adjacency graph, int root, Direction direction, LinkCosts costs) {
    return ended(graph, root, direction, LinkMetrics.byCost(costs, graph.linkCount()));
  }

  private static BestPathSearch ended(
      Adjacency graph, int root, Direction direction, LinkMetrics metrics) {
    BestPathSearch search =
        new BestPathSearch(graph, root, direction, metrics, new SharedPaths(graph.switchCount()));
    search.run();
    return search;
  }

  /** By switch: the link at the outer end of its path; {@link SharedPaths#NONE} if without one. */
  int[] lastLinks() {
    return lastLinks;
  }

  /** By switch: the primary cost of its path; the greatest number if there is none. */
  long[] primary() {
    return primary;
  }

  /** By switch: the secondary cost. */
  long[] secondary() {
    return secondary;
  }

  /**
   * The result of a search after links were removed. The remaining paths are still the best, by the
   * same tie-breaks. If all links are equally wide, the search examines only switches that have
   * lost their paths, beginning with neighbours that have not. Otherwise links are added in few
   * steps, one for each width of a switch that has lost its path; then costs over narrower links
   * are no longer known.
   *
   * @param before what was found with the removed links
   * @param left the paths of these that use no removed link; the others are added
   * @param leftPaths their numbers, by switch
   */
  static Found repair(
      Adjacency graph,
      int root,
      Direction direction,
      LinkMetrics metrics,
      Found before,
      SharedPaths left,
      int[] leftPaths) {
    BestPathSearch search = new BestPathSearch(graph, root, direction, metrics, left);
    for (int at = 0; at < leftPaths.length; at++) {
      if (leftPaths[at] != SharedPaths.NONE) {
        search.paths[at] = leftPaths[at];
        search.widths[at] = before.widths()[at];
        search.reached++;
      }
    }
    search.effort += leftPaths.length;
    int[] lost =
        IntStream.range(0, leftPaths.length)
            .filter(
                at -> leftPaths[at] == SharedPaths.NONE && before.paths()[at] != SharedPaths.NONE)
            .toArray();
    @Nullable CostsByWidth known = before.costs();
    if (known != null && metrics.widths().areAlike() && search.costsAreOfPaths(known)) {
      search.repairCheapest(lost, known);
      return search.found(search.costsByWidth);
    }
    search.repairWidest(lost);
    return search.found(/* costsFound= */ null);
  }

  /** Whether the known cheapest paths are the best paths, without paths over narrower links. */
  private boolean costsAreOfPaths(CostsByWidth known) {
    for (int at = 0; at < paths.length; at++) {
      if (paths[at] != SharedPaths.NONE && known.width(known.narrowest(at)) != widths[at]) {
        return false;
      }
    }
    return true;
  }

  private void repairCheapest(int[] lost, CostsByWidth known) {
    Arrays.fill(added, true);
    for (int at = 0; at < paths.length; at++) {
      if (paths[at] != SharedPaths.NONE) {
        int entry = known.narrowest(at);
        primary[at] = known.primary(entry);
        secondary[at] = known.secondary(entry);
        costsByWidth.add(at, widths[at], primary[at], secondary[at]);
        cheapest[at] = paths[at];
        lastLinks[at] = ways.link(paths[at]);
      }
    }
    for (int at : lost) {
      forLinksTo(at, this::relaxIfSettled);
    }
    settle();
    writeDown(linkWidths.count() == 0 ? 0 : linkWidths.of(0));
  }

  private void repairWidest(int[] lost) {
    widen(lost);
    double[] steps =
        Arrays.stream(lost)
            .mapToDouble(at -> -widths[at])
            .filter(negative -> negative <= 0)
            .sorted()
            .distinct()
            .toArray();
    change(root, 0, 0, SharedPaths.NONE);
    settle();
    int next = 0;
    for (double step : steps) {
      while (next < linkWidths.count() && linkWidths.of(linkWidths.atPlace(next)) >= -step) {
        add(linkWidths.atPlace(next++));
      }
      long awaited = Arrays.stream(lost).filter(at -> widths[at] == -step).count();
      while (awaited > 0) {
        int at = settleNext();
        if (paths[at] == SharedPaths.NONE && widths[at] == -step) {
          paths[at] = cheapest[at];
          reached++;
          awaited--;
        }
      }
    }
  }

  /** Finds the widths of the paths to some switches from those to the others. */
  private void widen(int[] lost) {
    SwitchHeap widestFirst = new SwitchHeap(widths.length, (a, b) -> widths[a] > widths[b]);
    IntConsumer widen =
        link -> {
          effort++;
          int outer = direction.outer(graph, link);
          double width = Math.min(widths[direction.inner(graph, link)], linkWidths.of(link));
          if (width > widths[outer]) {
            widths[outer] = width;
            widestFirst.raise(outer);
          }
        };
    for (int at : lost) {
      forLinksTo(at, widen);
    }
    while (!widestFirst.isEmpty()) {
      forLinksFrom(widestFirst.poll(), widen);
    }
  }

  /** Does something with each link whose outer end is a switch. */
  private void forLinksTo(int at, IntConsumer action) {
    forLinks(direction == Direction.FROM_ROOT, at, action);
  }

  /** Does something with each link whose inner end is a switch. */
  private void forLinksFrom(int at, IntConsumer action) {
    forLinks(direction == Direction.TO_ROOT, at, action);
  }

  private void forLinks(boolean isIncoming, int at, IntConsumer action) {
    for (int i = graph.first(isIncoming, at); i < graph.first(isIncoming, at + 1); i++) {
      action.accept(graph.at(isIncoming, i));
    }
  }

  private Found found(@Nullable CostsByWidth costsFound) {
    // paths that have become cheaper again are not the best
    SharedPaths only = ways.count() == reached ? ways : ways.only(paths);
    return new Found(widths, only, paths, costsFound, only.used(graph.linkCount()), effort);
  }

  private boolean isCheaper(int a, int b) {
    return primary[a] != primary[b] ? primary[a] < primary[b] : secondary[a] < secondary[b];
  }

  private boolean isReached(int switchNumber) {
    return primary[switchNumber] != Long.MAX_VALUE;
  }

  private void run() {
    if (root < 0) {
      return;
    }
    change(root, 0, 0, SharedPaths.NONE);
    settle();
    writeDown(Double.POSITIVE_INFINITY);
    int next = 0;
    while (next < linkWidths.count() && reached < graph.switchCount()) {
      double width = linkWidths.of(linkWidths.atPlace(next));
      while (next < linkWidths.count() && linkWidths.of(linkWidths.atPlace(next)) == width) {
        add(linkWidths.atPlace(next++));
      }
      settle();
      writeDown(width);
    }
  }

  private void add(int link) {
    added[link] = true;
    relaxIfSettled(link);
  }

  /** Examines a link, unless the switch at its inner end is not yet settled. */
  private void relaxIfSettled(int link) {
    int inner = direction.inner(graph, link);
    if (isReached(inner) && !seen.contains(inner)) {
      relax(link);
    }
  }

  private void settle() {
    while (!seen.isEmpty()) {
      settleNext();
    }
  }

  private int settleNext() {
    int at = seen.poll();
    int last = lastLinks[at];
    cheapest[at] =
        last == SharedPaths.NONE
            ? ways.addRoot()
            : ways.add(cheapest[direction.inner(graph, last)], last);
    boolean isIncoming = direction == Direction.TO_ROOT;
    for (int i = graph.first(isIncoming, at); i < graph.first(isIncoming, at + 1); i++) {
      int link = graph.at(isIncoming, i);
      if (added[link]) {
        relax(link);
      }
    }
    return at;
  }

  /** Takes the path over a link if it is the best so far to the link's end. */
  private void relax(int link) {
    effort++;
    int inner = direction.inner(graph, link);
    int outer = direction.outer(graph, link);
    long first = primary[inner] + costs.primary(link);
    long second = secondary[inner] + costs.secondary(link);
    if (first < primary[outer] || (first == primary[outer] && second < secondary[outer])) {
      change(outer, first, second, link);
    } else if (first == primary[outer]
        && second == secondary[outer]
        && (link == lastLinks[outer] || comesFirst(link, lastLinks[outer]))) {
      // the same cost, and smaller switch ids; over the same link, the rest of the path has smaller
      // ones
      lastLinks[outer] = link;
      seen.raise(outer);
    }
  }

  /**
   * Whether the path over one link has a smaller sequence of switch ids than the path over another
   * link to the same switch. Paths that cost the same have equally many links, since one of both
   * costs counts them; links are numbered by the ids at their ends.
   */
  private boolean comesFirst(int a, int b) {
    boolean first = a < b;
    if (direction == Direction.FROM_ROOT) {
      int wayA = cheapest[graph.source(a)];
      int wayB = cheapest[graph.source(b)];
      // the first place where they differ is the last that is met on the way back
      while (wayA != wayB) {
        effort++;
        if (ways.link(wayA) != ways.link(wayB)) {
          first = ways.link(wayA) < ways.link(wayB);
        }
        wayA = ways.inner(wayA);
        wayB = ways.inner(wayB);
      }
    }
    return first;
  }

  private void change(int at, long newPrimary, long newSecondary, int lastLink) {
    primary[at] = newPrimary;
    secondary[at] = newSecondary;
    lastLinks[at] = lastLink;
    seen.raise(at);
    if (!isChanged[at]) {
      isChanged[at] = true;
      changed[changedCount++] = at;
    }
  }

  /** Records changes, and the paths of newly reached switches. */
  private void writeDown(double width) {
    for (int i = 0; i < changedCount; i++) {
      int at = changed[i];
      isChanged[at] = false;
      costsByWidth.add(at, width, primary[at], secondary[at]);
      if (widths[at] < 0) {
        widths[at] = width;
        paths[at] = cheapest[at];
        reached++;
      }
    }
    changedCount = 0;
  }
}
