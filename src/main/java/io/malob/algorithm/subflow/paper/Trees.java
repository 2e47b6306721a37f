package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Network;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The trees of an identity that has no Hamiltonian path. All switches that its first link can reach
 * are reached over no other link of the ingress switch, and each branch ends at an egress switch. A
 * similar tree: a link is removed, and the parts are joined by links in random order.
 */
final class Trees implements PossibleRoutes {
  private final Network network;
  private final int ingress;
  private final boolean[] egress;
  private final int[] usable;

  /** By switch, its usable links, as bits in several words. */
  private final long[] usableAt;

  private final int words;
  private final boolean everySwitchIsEgress;

  private final int[] shortest;

  /**
   * The trees of one identity.
   *
   * @param first the number of its first link
   * @param egress by number, the switches that are to be reached
   * @param shortest one to begin with
   */
  Trees(Network network, int first, boolean[] egress, int[] shortest) {
    this.network = network;
    this.ingress = network.source(first);
    this.egress = egress.clone();
    this.shortest = shortest;
    boolean[] byFirst = network.reached(network.target(first), ingress);
    this.usable =
        IntStream.range(0, network.switchCount())
            .flatMap(from -> Arrays.stream(network.out(from)))
            .filter(link -> network.reverse(link) >= 0 && network.target(link) != ingress)
            .filter(
                link ->
                    network.source(link) == ingress
                        ? link == first || !byFirst[network.target(link)]
                        : network.source(link) < network.target(link))
            .toArray();
    this.words = (usable.length + Long.SIZE - 1) / Long.SIZE;
    this.usableAt = new long[network.switchCount() * words];
    for (int i = 0; i < usable.length; i++) {
      usableAt[network.source(usable[i]) * words + i / Long.SIZE] |= 1L << i;
      usableAt[network.target(usable[i]) * words + i / Long.SIZE] |= 1L << i;
    }
    this.everySwitchIsEgress =
        IntStream.range(0, egress.length).allMatch(number -> egress[number] || number == ingress);
  }

  @Override
  public int[] start(SplittableRandom random) {
    return shortest;
  }

  @Override
  public Neighborhood around(int[] way) {
    return way.length == network.switchCount() - 1 && everySwitchIsEgress
        ? new NearSpanningTrees(way)
        : new NearTrees(way);
  }

  /** Replaces one link by another that joins the parts. Nothing else changes. */
  private final class NearSpanningTrees extends Neighborhood {
    private final int[] way;

    /** By switch: the links that can join the parts without the link to it, as bits. */
    private final long[] joining;

    private int out;
    private int in;

    NearSpanningTrees(int[] way) {
      super(1);
      this.way = way;
      // links within a part occur twice, and cancel out
      joining = usableAt.clone();
      for (int i = way.length - 1; i >= 0; i--) {
        int below = network.target(way[i]) * words;
        int above = network.source(way[i]) * words;
        for (int word = 0; word < words; word++) {
          joining[above + word] ^= joining[below + word];
        }
      }
    }

    @Override
    boolean draw(SplittableRandom random) {
      clear();
      out = random.nextInt(way.length);
      int below = network.target(way[out]) * words;
      int count = 0;
      for (int word = 0; word < words; word++) {
        count += Long.bitCount(joining[below + word]);
      }
      if (count < 2) {
        return false;
      }
      in = usable[bit(joining, below, random.nextInt(count))];
      leave(network.edge(way[out]));
      enter(network.edge(in));
      return network.edge(in) != network.edge(way[out]);
    }

    @Override
    int[] changed() {
      int[] changed = way.clone();
      changed[out] = in;
      return rooted(changed);
    }
  }

  /** The number of the set bit with the given rank, from the first word on. */
  private static int bit(long[] bits, int first, int before) {
    int left = before;
    int at = first;
    while (left >= Long.bitCount(bits[at])) {
      left -= Long.bitCount(bits[at++]);
    }
    long word = bits[at];
    for (; left > 0; left--) {
      word &= word - 1;
    }
    return (at - first) * Long.SIZE + Long.numberOfTrailingZeros(word);
  }

  /** Removes a link and joins the parts; then removes dead ends. */
  private final class NearTrees extends Neighborhood {
    private final int[] way;
    private int[] drawn = NONE;

    NearTrees(int[] way) {
      super(network.edgeCount());
      this.way = way;
    }

    @Override
    boolean draw(SplittableRandom random) {
      clear();
      int[] kept = way.clone();
      int out = random.nextInt(way.length);
      kept[out] = kept[kept.length - 1];
      drawn = grow(Arrays.copyOf(kept, kept.length - 1), -1, random);
      compare(way, drawn, network);
      return drawn.length > 0;
    }

    @Override
    int[] changed() {
      return drawn;
    }
  }

  @Override
  public int[] any(SplittableRandom random) {
    return grow(NONE, -1, random);
  }

  @Override
  public int[] without(int edge, int[] way, SplittableRandom random) {
    return grow(
        Arrays.stream(way).filter(link -> network.edge(link) != edge).toArray(), edge, random);
  }

  /** Whether a tree may have all links of a route. */
  boolean allow(int[] way) {
    return Arrays.stream(way)
        .allMatch(
            link ->
                Arrays.stream(usable).anyMatch(other -> network.edge(other) == network.edge(link)));
  }

  private int[] grow(int[] kept, int barredEdge, SplittableRandom random) {
    Partition parts = new Partition(network.switchCount());
    int[] chosen = new int[network.switchCount()];
    int count = 0;
    for (int link : kept) {
      parts.join(network.source(link), network.target(link));
      chosen[count++] = link;
    }
    int[] order = usable.clone();
    for (int left = order.length; left > 0; left--) {
      int next = random.nextInt(left);
      int link = order[next];
      order[next] = order[left - 1];
      if (network.edge(link) != barredEdge
          && parts.join(network.source(link), network.target(link))) {
        chosen[count++] = link;
      }
    }
    return cut(rooted(Arrays.copyOf(chosen, count)));
  }

  /** The links of a tree in the direction from the root, each after the one before it. */
  private int[] rooted(int[] links) {
    int[] rooted = new int[links.length];
    int[] left = links.clone();
    boolean[] reached = new boolean[network.switchCount()];
    reached[ingress] = true;
    int count = 0;
    for (int unplaced = left.length, before = -1; unplaced != before; ) {
      before = unplaced;
      int still = 0;
      for (int i = 0; i < unplaced; i++) {
        boolean fromHere = reached[network.source(left[i])];
        if (fromHere || reached[network.target(left[i])]) {
          rooted[count] = fromHere ? left[i] : network.reverse(left[i]);
          reached[network.target(rooted[count++])] = true;
        } else {
          left[still++] = left[i];
        }
      }
      unplaced = still;
    }
    return Arrays.copyOf(rooted, count);
  }

  /** The tree without dead ends. */
  private int[] cut(int[] rooted) {
    boolean[] needed = egress.clone();
    boolean[] reached = new boolean[needed.length];
    reached[ingress] = true;
    int[] kept = new int[rooted.length];
    int first = rooted.length;
    for (int i = rooted.length - 1; i >= 0; i--) {
      reached[network.target(rooted[i])] = true;
      if (needed[network.target(rooted[i])]) {
        needed[network.source(rooted[i])] = true;
        kept[--first] = rooted[i];
      }
    }
    return IntStream.range(0, egress.length).allMatch(number -> reached[number] || !egress[number])
        ? Arrays.copyOfRange(kept, first, kept.length)
        : NONE;
  }
}
