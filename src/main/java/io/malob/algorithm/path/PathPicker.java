package io.malob.algorithm.path;

import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Reason;
import io.malob.algorithm.graph.Path;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/** Chooses a path between two edge switches. Pure: the same network gives the same path. */
public interface PathPicker {

  /** The path; empty if there is none. */
  Optional<Path> pick(NetworkSnapshot network, DatapathId src, DatapathId dst);

  /** How it chooses. */
  Reason reason();
}
