package io.malob.testing;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Networks of many switches in which there is a path over all of them. */
public enum HamiltonianFamily {
  /** A hidden path and 3 more links for 10 switches. */
  SPARSEST {
    @Override
    Draft draft(int switches, Random random) {
      return new Draft(switches, random).path().more(switches * 3 / 10);
    }
  },
  /** A hidden path and as many more links as switches. */
  SPARSE {
    @Override
    Draft draft(int switches, Random random) {
      return new Draft(switches, random).path().more(switches);
    }
  },
  /** A hidden path and links between about a tenth of all pairs. */
  DENSE {
    @Override
    Draft draft(int switches, Random random) {
      return new Draft(switches, random).path().more(switches * (switches - 1) / 20);
    }
  },
  /** A ring with a chord for every fifth switch. */
  RING_WITH_CHORDS {
    @Override
    Draft draft(int switches, Random random) {
      return new Draft(switches, random).path().close().more(switches / 5);
    }
  },
  /** Rows of 10 switches, or of 40 from 1,000 on. */
  GRID {
    @Override
    Draft draft(int switches, Random random) {
      return new Draft(switches, random).grid(switches < 1000 ? 10 : 40);
    }
  };

  /**
   * One network.
   *
   * @param first the first link of a path that exists
   */
  public record Case(Topology topology, DirectedLink first) {}

  abstract Draft draft(int switches, Random random);

  /** One of the family. */
  public Case draw(int switches, Random random) {
    Draft draft = draft(switches, random);
    Topology topology = draft.topology();
    return new Case(topology, Topologies.link(draft.order.get(0), draft.order.get(1)));
  }

  /** A network that is being made. */
  static final class Draft {
    private final Random random;
    private final List<Integer> order;
    private final boolean[][] joined;
    private final List<int[]> links = new ArrayList<>();

    Draft(int switches, Random random) {
      this.random = random;
      order = IntStream.rangeClosed(1, switches).boxed().collect(Collectors.toList());
      Collections.shuffle(order, random);
      joined = new boolean[switches + 1][switches + 1];
    }

    Draft path() {
      for (int i = 1; i < order.size(); i++) {
        join(order.get(i - 1), order.get(i));
      }
      return this;
    }

    Draft close() {
      join(order.get(order.size() - 1), order.get(0));
      return this;
    }

    Draft more(int count) {
      for (int i = 0; i < count; i++) {
        join(1 + random.nextInt(order.size()), 1 + random.nextInt(order.size()));
      }
      return this;
    }

    /** Even sides: every link of a grid begins a path over it. */
    Draft grid(int columns) {
      for (int i = 1; i <= order.size(); i++) {
        if (i % columns != 0) {
          join(i, i + 1);
        }
        if (i + columns <= order.size()) {
          join(i, i + columns);
        }
      }
      int[] first = links.get(random.nextInt(links.size()));
      int end = random.nextInt(2);
      order.set(0, first[end]);
      order.set(1, first[1 - end]);
      return this;
    }

    private void join(int a, int b) {
      if (a != b && !joined[a][b]) {
        joined[a][b] = true;
        joined[b][a] = true;
        links.add(new int[] {a, b});
      }
    }

    Topology topology() {
      return Topologies.of(order.size(), links.toArray(new int[0][]));
    }
  }
}
