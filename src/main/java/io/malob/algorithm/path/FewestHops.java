package io.malob.algorithm.path;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Reason;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * SPH of the thesis (section 3.3.3): the path with the fewest links; of several, the one with the
 * lowest latency, then with the smaller switch ids. It needs no measurements: a link of unknown
 * latency counts as the slowest that is known.
 */
public final class FewestHops implements PathPicker {
  private static final Reason REASON =
      new Reason("fewest links", "lowest latency, then smaller switch ids");

  @Override
  public Optional<Path> pick(NetworkSnapshot network, DatapathId src, DatapathId dst) {
    return network.fewestHops(src, dst);
  }

  @Override
  public Reason reason() {
    return REASON;
  }
}
