package io.malob.simulation;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** Kinds of networks in which there is a path over all switches that begins with a known link. */
enum Family {
  /** A hidden path and 3 other links for 10 switches. */
  SPARSEST,
  /** A hidden path and as many other links as switches. */
  SPARSE,
  /** A hidden path and links between about a tenth of all pairs. */
  DENSE,
  /** A ring with a chord for 20 switches. */
  RING_FEW,
  /** A ring with a chord for 5 switches. */
  RING,
  /** A grid of 10 columns, or of 40 from 1,000 switches on. */
  GRID;

  /**
   * A network.
   *
   * @param first a path begins with it
   */
  record Network(Topology topology, DirectedLink first) {}

  /** Draws a network. */
  Network draw(int switches, Random random) {
    Draft draft = new Draft(switches, random);
    switch (this) {
      case SPARSEST -> draft.path().more(3 * switches / 10);
      case SPARSE -> draft.path().more(switches);
      case DENSE -> draft.path().more(switches * (switches - 1) / 20);
      case RING_FEW -> draft.path().close().more(switches / 20);
      case RING -> draft.path().close().more(switches / 5);
      case GRID -> draft.grid(switches < 1000 ? 10 : 40);
    }
    return draft.network();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static final class Draft {
    private final Random random;
    private final List<Integer> order;
    private final Set<DirectedLink> links = new LinkedHashSet<>();

    Draft(int switches, Random random) {
      this.random = random;
      order = IntStream.rangeClosed(1, switches).boxed().collect(Collectors.toList());
      Collections.shuffle(order, random);
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

    void more(int count) {
      for (int i = 0; i < count; i++) {
        join(1 + random.nextInt(order.size()), 1 + random.nextInt(order.size()));
      }
    }

    /** Both sides are even: a path begins with any link, in any direction. */
    void grid(int columns) {
      for (int i = 1; i <= order.size(); i++) {
        if (i % columns != 0) {
          join(i, i + 1);
        }
        if (i + columns <= order.size()) {
          join(i, i + columns);
        }
      }
      DirectedLink first = new ArrayList<>(links).get(random.nextInt(links.size()));
      order.set(0, (int) first.src().getLong());
      order.set(1, (int) first.dst().getLong());
    }

    private void join(int a, int b) {
      if (a != b) {
        links.add(link(a, b));
        links.add(link(b, a));
      }
    }

    Network network() {
      Topology topology =
          Topology.of(
              LongStream.rangeClosed(1, order.size()).mapToObj(DatapathId::of).toList(), links);
      return new Network(topology, link(order.get(0), order.get(1)));
    }

    private static DirectedLink link(int src, int dst) {
      return new DirectedLink(
          DatapathId.of(src), OFPort.of(dst), DatapathId.of(dst), OFPort.of(src));
    }
  }
}
