package io.malob.algorithm.path;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Reason;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * SPL of the thesis (section 3.3.3): the path with the lowest sum of link latencies; of several,
 * the one with the fewest links, then with the smaller switch ids. A link of unknown latency counts
 * as the slowest that is known; where none is known, this is SPH.
 */
public final class LowestLatency implements PathPicker {
  private static final Reason REASON =
      new Reason("lowest sum of link latencies", "fewest links, then smaller switch ids");

  @Override
  public Optional<Path> pick(NetworkSnapshot network, DatapathId src, DatapathId dst) {
    return network.lowestLatency(src, dst);
  }

  @Override
  public Reason reason() {
    return REASON;
  }
}
