package io.malob.bench.micro;

import io.malob.algorithm.Counting;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;

/** Links with latencies of 0.1 to 20 ms and 10 to 1,000 Mbit/s, the same each time. */
final class Links {
  private final Topology topology;
  private final LinkLoads loads;
  private final Map<DirectedLink, LinkValue> known = new HashMap<>();
  private final Random random = new Random(1);

  Links(Topology topology, LinkLoads loads) {
    this.topology = topology;
    this.loads = loads;
    topology.links().forEach(link -> known.put(link, value()));
  }

  private LinkValue value() {
    double capacity = 10e6 + random.nextInt(100) * 10e6;
    return new LinkValue(
        OptionalLong.of(100_000 + random.nextInt(19_900_000)),
        OptionalDouble.of(capacity * (0.2 + 0.8 * random.nextDouble())),
        OptionalDouble.of(capacity));
  }

  /** The current values. */
  LinkValues values() {
    return LinkValues.of(topology, known, loads, Counting.PLACED_SINCE);
  }

  /** The values after a random link has got another latency and throughput. */
  LinkValues changed() {
    known.put(topology.links().get(random.nextInt(known.size())), value());
    return values();
  }
}
