package io.malob.algorithm.path;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Reason;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * HTP of the thesis (section 3.3.3): the path with the widest bottleneck for a new connection,
 * including connections placed since the measurement (see {@link
 * io.malob.algorithm.graph.LinkValues}); of several, the one with the lowest latency, then with the
 * fewest links, then with the smaller switch ids. A link of unknown throughput counts as the
 * narrowest that is known; where none is known, this is SPL.
 */
public final class HighestThroughput implements PathPicker {
  private static final Reason REASON =
      new Reason(
          "widest bottleneck for a new connection",
          "lowest latency, then fewest links, then smaller switch ids");

  @Override
  public Optional<Path> pick(NetworkSnapshot network, DatapathId src, DatapathId dst) {
    return network.widest(src, dst);
  }

  @Override
  public Reason reason() {
    return REASON;
  }
}
