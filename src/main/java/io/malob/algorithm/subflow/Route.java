package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The route of the sub-flows of one identity: one or more loop-free paths from the ingress switch.
 * A packet takes the first path that contains its egress switch, and leaves it there. A Hamiltonian
 * path reaches all egress switches, unless a limit of detours cut it; the branches of a tree do so
 * together.
 *
 * @param branches all from the ingress switch; not empty
 * @param reason why it is of that kind, in a sentence
 * @param cutFrom the Hamiltonian path that the first branches begin like, if detours were cut
 */
public record Route(
    FlowIdentity identity,
    Kind kind,
    ImmutableList<Path> branches,
    String reason,
    Optional<Path> cutFrom) {

  /** The kind of a route. */
  public enum Kind {
    /** One path over all switches. */
    HAMILTONIAN,
    /** The paths from the root to the leaves of a tree. */
    TREE,
    /** A short path for each egress switch, apart from those of other identities. */
    DISJOINT
  }

  /** A route as it was found. */
  public Route(FlowIdentity identity, Kind kind, ImmutableList<Path> branches, String reason) {
    this(identity, kind, branches, reason, Optional.empty());
  }

  public Route {
    if (branches.isEmpty()) {
      throw new IllegalArgumentException("a route has at least one branch");
    }
    for (Path branch : branches) {
      if (!branch.src().equals(identity.ingress())) {
        throw new IllegalArgumentException(
            "a branch of " + identity + " begins at " + branch.src());
      }
    }
  }

  /** The branch for packets to hosts on a switch; empty if there is none. */
  public Optional<Path> branchTo(DatapathId egress) {
    return branches.stream().filter(branch -> branch.switches().contains(egress)).findFirst();
  }

  /** All links that sub-flows of this identity may take, each once. */
  public Set<DirectedLink> links() {
    Set<DirectedLink> links = new LinkedHashSet<>();
    branches.forEach(branch -> links.addAll(branch.links()));
    return links;
  }
}
