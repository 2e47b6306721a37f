package io.malob.algorithm.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The way of the sub-flows of one identity: one or more loop-free paths from the ingress switch. A
 * packet takes the first of them that has its egress switch on it, and leaves it there. A
 * Hamiltonian path is enough for all egress switches; the branches of a tree are enough together.
 *
 * @param branches all from the ingress switch; not empty
 * @param reason why it is of that kind, in a sentence, for people
 */
public record Route(FlowIdentity identity, Kind kind, ImmutableList<Path> branches, String reason) {

  /** What the branches of a route are. */
  public enum Kind {
    /** One path over all switches. */
    HAMILTONIAN,
    /** The paths from the root to the leaves of a tree. */
    TREE,
    /** A short path for each egress switch, apart from those of other identities. */
    DISJOINT
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

  /** The branch by which packets for hosts on a switch go; empty if none gets there. */
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
