package io.malob.algorithm.graph;

import io.malob.algorithm.graph.BestPaths.Direction;
import io.malob.algorithm.graph.BestPaths.Found;
import java.util.Arrays;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * One search for the best paths between one switch and all others: those with the widest
 * bottleneck; of these the cheapest; of these those with the smaller sequence of switch ids. Used
 * by one thread, once.
 *
 * <p>Links are added from the widest to the narrowest, those of one width at a time. A switch that
 * comes into reach then has this width, and its path is the cheapest over the links that were added
 * so far. It is written down at once, since narrower links may make ways cheaper that lead on from
 * there. The search goes on from where it was as links are added, so that it looks at little more
 * than what has become cheaper (an incremental search, as by G. Ramalingam and T. Reps, An
 * incremental algorithm for a generalization of the shortest-path problem, 1996). Where all links
 * are equally wide, this is E. W. Dijkstra's algorithm with pairs of costs.
 */
final class BestPathSearch {
  private final Adjacency graph;
  private final int root;
  private final Direction direction;
  private final LinkCosts costs;
  private final LinkWidths linkWidths;

  private final boolean[] added;

  /** By switch: what the cheapest way costs; the greatest number where there is none yet. */
  private final long[] primary;

  private final long[] secondary;
  private final double[] widths;
  private final SwitchHeap seen;

  /** The switches whose ways have become cheaper since the latest were written down. */
  private final int[] changed;

  private final boolean[] isChanged;
  private int changedCount;
  private int reached;
  private final CostsByWidth costsByWidth;

  private int[] links = new int[64];
  private int linkCount;
  private final int[] firstLinks;
  private final int[] endOfLinks;
  private final boolean[] used;

  /** By switch: the switch whose path was last written down with it on a best way. */
  private final int[] markedFor;

  private final int[] unexplored;
  private long effort;

  private BestPathSearch(
      Adjacency graph, int root, Direction direction, LinkCosts costs, LinkWidths linkWidths) {
    this.graph = graph;
    this.root = root;
    this.direction = direction;
    this.costs = costs;
    this.linkWidths = linkWidths;
    int switches = graph.switchCount();
    added = new boolean[graph.linkCount()];
    used = new boolean[graph.linkCount()];
    primary = new long[switches];
    secondary = new long[switches];
    Arrays.fill(primary, Long.MAX_VALUE);
    widths = new double[switches];
    Arrays.fill(widths, -1);
    seen = new SwitchHeap(switches, this::isCheaper);
    changed = new int[switches];
    isChanged = new boolean[switches];
    costsByWidth = new CostsByWidth(switches);
    firstLinks = new int[switches];
    endOfLinks = new int[switches];
    markedFor = new int[switches];
    Arrays.fill(markedFor, -1);
    unexplored = new int[switches];
  }

  /** The best paths between a root and all others; none if the root is not in the topology. */
  static BestPaths search(
      Topology topology,
      DatapathId root,
      Direction direction,
      LinkCosts costs,
      LinkWidths linkWidths) {
    Adjacency graph = topology.adjacency();
    BestPathSearch search =
        new BestPathSearch(graph, graph.number(root), direction, costs, linkWidths);
    search.run();
    return new BestPaths(graph, root, direction, costs, linkWidths, search.found());
  }

  private Found found() {
    return new Found(
        widths,
        Arrays.copyOf(links, linkCount),
        firstLinks,
        endOfLinks,
        costsByWidth,
        used,
        effort);
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
    change(root, 0, 0);
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
    if (isReached(direction.inner(graph, link))) {
      relax(link);
    }
  }

  private void settle() {
    while (!seen.isEmpty()) {
      int at = seen.poll();
      if (direction == Direction.FROM_ROOT) {
        for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
          relaxIfAdded(link);
        }
      } else {
        for (int i = graph.firstIncoming(at); i < graph.firstIncoming(at + 1); i++) {
          relaxIfAdded(graph.incoming(i));
        }
      }
    }
  }

  private void relaxIfAdded(int link) {
    if (added[link]) {
      relax(link);
    }
  }

  /** Takes the way over a link if it is the cheapest so far to where it leads. */
  private void relax(int link) {
    effort++;
    int inner = direction.inner(graph, link);
    int outer = direction.outer(graph, link);
    long first = primary[inner] + costs.primary(link);
    long second = secondary[inner] + costs.secondary(link);
    if (first < primary[outer] || (first == primary[outer] && second < secondary[outer])) {
      change(outer, first, second);
      seen.raise(outer);
    }
  }

  private void change(int at, long newPrimary, long newSecondary) {
    primary[at] = newPrimary;
    secondary[at] = newSecondary;
    if (!isChanged[at]) {
      isChanged[at] = true;
      changed[changedCount++] = at;
    }
  }

  /** Writes down what has changed, and the paths of those that have come into reach. */
  private void writeDown(double width) {
    for (int i = 0; i < changedCount; i++) {
      int at = changed[i];
      isChanged[at] = false;
      costsByWidth.add(at, width, primary[at], secondary[at]);
      if (widths[at] >= 0) {
        continue;
      }
      widths[at] = width;
      reached++;
      firstLinks[at] = linkCount;
      if (direction == Direction.FROM_ROOT) {
        markWaysTo(at);
        walk(root, at, at);
      } else {
        walk(at, root, -1);
      }
      endOfLinks[at] = linkCount;
    }
    changedCount = 0;
  }

  /**
   * Goes from one switch to another over cheapest ways only, at each switch to the neighbour with
   * the smallest id: links that leave a switch are in this order.
   *
   * @param mark over switches with this mark only; over all if it is negative
   */
  private void walk(int from, int to, int mark) {
    int at = from;
    while (at != to) {
      int link = graph.firstLink(at);
      while (!isOnCheapestWay(link) || (mark >= 0 && markedFor[graph.target(link)] != mark)) {
        link++;
      }
      if (linkCount == links.length) {
        links = Arrays.copyOf(links, 2 * links.length);
      }
      links[linkCount++] = link;
      used[link] = true;
      at = graph.target(link);
    }
  }

  /** Marks all switches from which a cheapest way leads to a switch. */
  private void markWaysTo(int end) {
    int count = 0;
    markedFor[end] = end;
    unexplored[count++] = end;
    while (count > 0) {
      int at = unexplored[--count];
      for (int i = graph.firstIncoming(at); i < graph.firstIncoming(at + 1); i++) {
        int link = graph.incoming(i);
        int before = graph.source(link);
        if (markedFor[before] != end && isOnCheapestWay(link)) {
          markedFor[before] = end;
          unexplored[count++] = before;
        }
      }
    }
  }

  /**
   * Whether the cheapest way between the root and a link's outer end leads over it, or one does.
   */
  private boolean isOnCheapestWay(int link) {
    int inner = direction.inner(graph, link);
    int outer = direction.outer(graph, link);
    return added[link]
        && isReached(inner)
        && primary[inner] + costs.primary(link) == primary[outer]
        && secondary[inner] + costs.secondary(link) == secondary[outer];
  }
}
