package io.malob.algorithm.subflow;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The prices of links by their loads: from 1,000 for an idle link to 2,000 for the most loaded one.
 * So the cheapest path is never more than twice as long as the shortest. Used by one thread.
 */
public final class LinkPrices {
  /** The price of an idle link. */
  static final long LINK = 1000;

  private final ToDoubleFunction<UndirectedLink> load;
  private final Map<UndirectedLink, Double> added = new HashMap<>();
  private double greatest;

  /**
   * Prices for loads.
   *
   * @param load the load of a link, in any unit; not negative
   */
  public LinkPrices(Topology topology, ToDoubleFunction<UndirectedLink> load) {
    this.load = load;
    topology.links().forEach(link -> seen(UndirectedLink.of(link)));
  }

  /** The price of a link. */
  public long of(DirectedLink link) {
    return greatest == 0
        ? LINK
        : LINK + Math.round(LINK * loadOf(UndirectedLink.of(link)) / greatest);
  }

  /** Increases the load of a link. */
  public void add(DirectedLink link, double more) {
    UndirectedLink both = UndirectedLink.of(link);
    added.merge(both, more, Double::sum);
    seen(both);
  }

  private void seen(UndirectedLink link) {
    greatest = Math.max(greatest, loadOf(link));
  }

  private double loadOf(UndirectedLink link) {
    return load.applyAsDouble(link) + added.getOrDefault(link, 0.0);
  }
}
