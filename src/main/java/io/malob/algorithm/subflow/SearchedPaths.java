package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.HamiltonianSearch;
import java.util.SplittableRandom;

/**
 * The Hamiltonian paths of an identity, where they are many. One that is near to another: a piece
 * of it is turned around, or one switch is visited at another time. Between two switches with
 * parallel links another one may be taken.
 */
final class SearchedPaths implements Ways {
  private static final int SWAPS_OF_PARALLEL_LINKS_IN = 16;

  private final Network network;
  private final HamiltonianSearch search;
  private final DirectedLink first;
  private final int[] known;

  /**
   * The paths of one identity.
   *
   * @param search finds random ones
   * @param first the first link of each
   * @param known one of them
   */
  SearchedPaths(Network network, HamiltonianSearch search, DirectedLink first, int[] known) {
    this.network = network;
    this.search = search;
    this.first = first;
    this.known = known;
  }

  @Override
  public int[] any(SplittableRandom random) {
    int[] path = links(search.random(first, ImmutableSet.of(), random));
    return path.length == 0 ? known : path;
  }

  @Override
  public int[] start(SplittableRandom random) {
    return known;
  }

  @Override
  public int[] without(int edge, int[] way, SplittableRandom random) {
    return network.edge(network.number(first)) == edge
        ? NONE
        : links(search.random(first, ImmutableSet.of(network.edges().get(edge)), random));
  }

  private int[] links(HamiltonianSearch.Result result) {
    return result instanceof HamiltonianSearch.Found found ? network.numbers(found.path()) : NONE;
  }

  @Override
  public int[] near(int[] way, SplittableRandom random) {
    int count = way.length + 1;
    if (count < 3) {
      return NONE;
    }
    int[] switches = new int[count];
    int[] places = new int[network.switchCount()];
    switches[0] = network.source(way[0]);
    for (int i = 0; i < way.length; i++) {
      switches[i + 1] = network.target(way[i]);
      places[switches[i + 1]] = i + 1;
    }
    if (random.nextInt(SWAPS_OF_PARALLEL_LINKS_IN) == 0) {
      return withParallel(way, random);
    }
    int place = 1 + random.nextInt(count - 1);
    int[] out = network.out(switches[place]);
    int other = places[network.target(out[random.nextInt(out.length)])];
    if (other == 0) {
      return NONE;
    }
    boolean turned = random.nextBoolean();
    if (turned ? other < place + 2 : other == place - 1) {
      return NONE;
    }
    return joined(
        way,
        turned ? turned(switches, place, other) : moved(switches, place, other),
        places,
        random);
  }

  private int[] withParallel(int[] links, SplittableRandom random) {
    int place = 1 + random.nextInt(links.length - 1);
    int link = links[place];
    int other =
        network.between(network.source(link), network.target(link), random.nextInt(links.length));
    if (other == link) {
      return NONE;
    }
    int[] changed = links.clone();
    changed[place] = other;
    return changed;
  }

  /** The piece after one place, up to the other, the other way round. */
  private static int[] turned(int[] switches, int place, int other) {
    int[] changed = switches.clone();
    for (int i = place + 1; i <= other; i++) {
      changed[i] = switches[other + place + 1 - i];
    }
    return changed;
  }

  /** The switch at one place comes after the one at the other. */
  private static int[] moved(int[] switches, int place, int other) {
    int[] changed = switches.clone();
    if (other > place) {
      System.arraycopy(switches, place + 1, changed, place, other - place);
      changed[other] = switches[place];
    } else {
      System.arraycopy(switches, other + 1, changed, other + 2, place - other - 1);
      changed[other + 1] = switches[place];
    }
    return changed;
  }

  /** The links between switches; those of before where two of them were neighbours already. */
  private int[] joined(int[] links, int[] switches, int[] places, SplittableRandom random) {
    if (switches[1] != network.target(links[0])) {
      return NONE;
    }
    int[] changed = new int[links.length];
    changed[0] = links[0];
    for (int i = 1; i < links.length; i++) {
      int from = places[switches[i]];
      int to = places[switches[i + 1]];
      int link;
      if (to == from + 1) {
        link = links[from];
      } else if (to == from - 1) {
        link = network.reverse(links[to]);
      } else {
        link = network.between(switches[i], switches[i + 1], random.nextInt(links.length));
      }
      if (link < 0) {
        return NONE;
      }
      changed[i] = link;
    }
    return changed;
  }
}
