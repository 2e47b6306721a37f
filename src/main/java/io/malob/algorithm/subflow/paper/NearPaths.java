package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Network;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * The Hamiltonian paths near to one: a part of it is reversed, or one switch moves to another
 * position. Between two switches with parallel links, another link may be chosen. Small changes do
 * not lead from each path to every other one: occasionally, any path is drawn.
 */
final class NearPaths extends Neighborhood {
  private static final int OTHERS_IN = 32;
  private static final int SWAPS_OF_PARALLEL_LINKS_IN = 16;

  /**
   * How often the end of the path is reversed, so that it ends at another switch: this is possible
   * if switches have few neighbours, when other changes hardly are.
   */
  private static final int TURNS_OF_THE_END_IN = 2;

  /** Taking a switch out and putting it in elsewhere. */
  private static final int MAX_EDGES = 3;

  private final Network network;
  private final int[] way;
  private final Function<SplittableRandom, int[]> others;
  private int[] drawn = PossibleRoutes.NONE;
  private final int[] switches;
  private final int[] places;

  /** Whether each link but the first has its other direction. */
  private final boolean isReversible;

  // the change drawn last
  private Kind kind = Kind.PARALLEL;
  private int place;
  private int other;

  /** Links between switches that become neighbours, in the order in which they are passed. */
  private final int[] links = new int[MAX_EDGES];

  private int linkCount;

  private enum Kind {
    PARALLEL,
    TURNED,
    MOVED,
    OTHER
  }

  /**
   * The paths near to one.
   *
   * @param others returns any path
   */
  NearPaths(Network network, int[] way, Function<SplittableRandom, int[]> others) {
    super(way.length);
    this.network = network;
    this.others = others;
    this.way = way;
    switches = new int[way.length + 1];
    places = new int[network.switchCount()];
    switches[0] = network.source(way[0]);
    for (int i = 0; i < way.length; i++) {
      switches[i + 1] = network.target(way[i]);
      places[switches[i + 1]] = i + 1;
    }
    isReversible = Arrays.stream(way).skip(1).allMatch(link -> network.reverse(link) >= 0);
  }

  @Override
  boolean draw(SplittableRandom random) {
    clear();
    linkCount = 0;
    if (way.length < 2) {
      return false;
    }
    if (random.nextInt(SWAPS_OF_PARALLEL_LINKS_IN) == 0) {
      return drawParallel(random);
    }
    if (random.nextInt(OTHERS_IN) == 0) {
      return drawOther(others.apply(random));
    }
    if (isReversible && random.nextInt(TURNS_OF_THE_END_IN) == 0) {
      place = places[neighbor(switches[way.length], random)];
      other = way.length;
      return place > 0 && drawTurned(random);
    }
    place = 1 + random.nextInt(way.length);
    other = places[neighbor(switches[place], random)];
    if (other == 0 || !isReversible) {
      return false;
    }
    return random.nextBoolean() ? drawTurned(random) : drawMoved(random);
  }

  private int neighbor(int switchNumber, SplittableRandom random) {
    int[] out = network.out(switchNumber);
    return network.target(out[random.nextInt(out.length)]);
  }

  private boolean drawOther(int[] path) {
    kind = Kind.OTHER;
    drawn = path;
    compare(way, drawn, network);
    return leftCount() > 0;
  }

  private boolean drawParallel(SplittableRandom random) {
    kind = Kind.PARALLEL;
    place = 1 + random.nextInt(way.length - 1);
    return joins(switches[place], switches[place + 1], random)
        && links[0] != way[place]
        && leaveLink(place);
  }

  /** Reverses the part after the place, up to the other. */
  private boolean drawTurned(SplittableRandom random) {
    kind = Kind.TURNED;
    return other >= place + 2
        && joins(switches[place], switches[other], random)
        && (other == way.length || joins(switches[place + 1], switches[other + 1], random))
        && leaveLink(place)
        && (other == way.length || leaveLink(other));
  }

  /** The switch at the place comes after the one at the other. */
  private boolean drawMoved(SplittableRandom random) {
    kind = Kind.MOVED;
    // the first link of the way stays
    if (place == 1 || other == place - 1) {
      return false;
    }
    if (other > place) {
      // ... before, [place], after ... other, next ... becomes ... before, after ... other, place,
      // next
      return joins(switches[place - 1], switches[place + 1], random)
          && (other == place + 1 || joins(switches[other], switches[place], random))
          && (other == way.length || joins(switches[place], switches[other + 1], random))
          && leaveLink(place - 1)
          && (other == place + 1 || leaveLink(place))
          && (other == way.length || leaveLink(other));
    }
    // ... other, next ... before, [place], after ... becomes ... other, place, next ... before,
    // after
    boolean isLast = place == way.length;
    return joins(switches[other], switches[place], random)
        && (other == place - 2
            ? isLast || joins(switches[place - 1], switches[place + 1], random)
            : joins(switches[place], switches[other + 1], random)
                && (isLast || joins(switches[place - 1], switches[place + 1], random)))
        && leaveLink(other)
        && (other == place - 2 || leaveLink(place - 1))
        && (isLast || leaveLink(place));
  }

  /** Whether a link joins two switches; notes it. */
  private boolean joins(int from, int to, SplittableRandom random) {
    int link = network.between(from, to, random);
    if (link < 0 || network.reverse(link) < 0) {
      return false;
    }
    links[linkCount++] = link;
    enter(network.edge(link));
    return true;
  }

  private boolean leaveLink(int number) {
    leave(network.edge(way[number]));
    return true;
  }

  @Override
  int[] changed() {
    int[] changed = kind == Kind.OTHER ? drawn : way.clone();
    switch (kind) {
      case PARALLEL -> changed[place] = links[0];
      case TURNED -> turn(changed);
      case MOVED -> move(changed);
      case OTHER -> {}
    }
    return changed;
  }

  private void turn(int[] changed) {
    changed[place] = links[0];
    for (int i = place + 1; i < other; i++) {
      changed[i] = network.reverse(way[place + other - i]);
    }
    if (other < way.length) {
      changed[other] = links[1];
    }
  }

  private void move(int[] changed) {
    int next = 0;
    if (other > place) {
      changed[place - 1] = links[next++];
      System.arraycopy(way, place + 1, changed, place, other - place - 1);
      changed[other - 1] = other == place + 1 ? network.reverse(way[place]) : links[next++];
      if (other < way.length) {
        changed[other] = links[next];
      }
    } else {
      changed[other] = links[next++];
      changed[other + 1] = other == place - 2 ? network.reverse(way[place - 1]) : links[next++];
      System.arraycopy(way, other + 1, changed, other + 2, place - other - 2);
      if (place < way.length) {
        changed[place] = links[next];
      }
    }
  }
}
