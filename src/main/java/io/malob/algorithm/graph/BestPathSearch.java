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

  /** By switch: the link at the outer end of its cheapest way. */
  private final int[] lastLinks;

  private final Ways ways;

  /** By switch: its cheapest way when it was last settled. */
  private final int[] cheapest;

  /** By switch: its path. */
  private final int[] paths;

  private long effort;

  private BestPathSearch(
      Adjacency graph,
      int root,
      Direction direction,
      LinkCosts costs,
      LinkWidths linkWidths,
      Ways ways) {
    this.graph = graph;
    this.root = root;
    this.direction = direction;
    this.costs = costs;
    this.linkWidths = linkWidths;
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
    cheapest = new int[switches];
    paths = new int[switches];
    Arrays.fill(paths, Ways.NONE);
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
        new BestPathSearch(
            graph,
            graph.number(root),
            direction,
            costs,
            linkWidths,
            new Ways(graph.switchCount()));
    search.run();
    return new BestPaths(graph, root, direction, costs, linkWidths, search.found());
  }

  /**
   * What a search would find after links were removed, all of which were equally wide. The paths
   * that are left are still the best, and by the same tie-breaks. Only switches that have lost
   * theirs are looked at, beginning with their neighbours that have not.
   *
   * @param before what was found with the removed links
   * @param left the paths of these that use no removed link
   * @param numbers the numbers of the paths in {@code left}, or {@link Ways#NONE}
   */
  static Found repair(
      Adjacency graph,
      Direction direction,
      LinkCosts costs,
      LinkWidths linkWidths,
      Found before,
      Ways left,
      int[] numbers) {
    BestPathSearch search =
        new BestPathSearch(graph, Ways.NONE, direction, costs, linkWidths, left);
    Arrays.fill(search.added, true);
    for (int at = 0; at < graph.switchCount(); at++) {
      int path = before.paths()[at];
      if (path != Ways.NONE && numbers[path] != Ways.NONE) {
        search.keep(at, numbers[path], before);
      }
    }
    for (int at = 0; at < graph.switchCount(); at++) {
      if (before.paths()[at] != Ways.NONE && search.paths[at] == Ways.NONE) {
        search.relaxLinksTo(at);
      }
    }
    search.settle();
    if (linkWidths.count() > 0) {
      search.writeDown(linkWidths.of(0));
    }
    return search.found();
  }

  private void keep(int at, int path, Found before) {
    int entry = before.costs().narrowest(at);
    primary[at] = before.costs().primary(entry);
    secondary[at] = before.costs().secondary(entry);
    costsByWidth.add(at, before.costs().width(entry), primary[at], secondary[at]);
    widths[at] = before.widths()[at];
    paths[at] = path;
    cheapest[at] = path;
    lastLinks[at] = ways.link(path);
  }

  private void relaxLinksTo(int at) {
    if (direction == Direction.FROM_ROOT) {
      for (int i = graph.firstIncoming(at); i < graph.firstIncoming(at + 1); i++) {
        relaxIfSettled(graph.incoming(i));
      }
    } else {
      for (int link = graph.firstLink(at); link < graph.firstLink(at + 1); link++) {
        relaxIfSettled(link);
      }
    }
  }

  private Found found() {
    return new Found(
        widths, ways, paths, costsByWidth, ways.linksOf(paths, graph.linkCount()), effort);
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
    change(root, 0, 0, Ways.NONE);
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

  /** Looks at a link unless that is to come, when the switch at its inner end is settled. */
  private void relaxIfSettled(int link) {
    int inner = direction.inner(graph, link);
    if (isReached(inner) && !seen.contains(inner)) {
      relax(link);
    }
  }

  private void settle() {
    while (!seen.isEmpty()) {
      int at = seen.poll();
      int last = lastLinks[at];
      cheapest[at] =
          last == Ways.NONE
              ? ways.addRoot()
              : ways.add(cheapest[direction.inner(graph, last)], last);
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

  /** Takes the way over a link if it is the best so far to where it leads. */
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
      // the same cost, and smaller switch ids; over the same link, what it leads on has these
      lastLinks[outer] = link;
      seen.raise(outer);
    }
  }

  /**
   * Whether the way over one link has the smaller sequence of switch ids than that over another one
   * to the same switch. Ways that cost the same have equally many links, since one of both costs
   * counts them; links are numbered by the ids at their ends.
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

  /** Writes down what has changed, and the paths of those that have come into reach. */
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
