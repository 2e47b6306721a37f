package io.malob.module;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The cluster as one controller sees it.
 *
 * @param name this controller's
 * @param isMember whether it has a lease; if not, it keeps the switches that it is master of
 * @param slot its number, unique among live controllers
 * @param generationBase the number that is added to etcd's revisions to make generation ids
 * @param mastership how the switches are shared
 * @param nodes the live controllers, in the order in which they joined
 * @param masters the controllers that hold the switches' keys, by name
 * @param roles this controller's roles at its switches
 * @param problems what needs an operator
 */
public record ClusterView(
    String name,
    boolean isMember,
    int slot,
    long generationBase,
    MastershipPolicy mastership,
    ImmutableList<Member> nodes,
    ImmutableMap<DatapathId, String> masters,
    ImmutableMap<DatapathId, Role> roles,
    ImmutableList<Problem> problems) {

  /** Whether switches may have different masters. */
  public boolean isSpread() {
    return mastership == MastershipPolicy.SPREAD;
  }

  /** This with the controllers that are reached; this one reaches itself. */
  public ClusterView withReached(Predicate<String> isReached) {
    return with(
        nodes.stream()
            .map(
                node ->
                    new Member(
                        node.name,
                        node.restAddress,
                        node.slot,
                        node.switches,
                        node.name.equals(name) || isReached.test(node.name)))
            .collect(toImmutableList()),
        problems);
  }

  /** This with one more problem. */
  public ClusterView with(Problem problem) {
    return with(nodes, ImmutableList.<Problem>builder().addAll(problems).add(problem).build());
  }

  private ClusterView with(ImmutableList<Member> newNodes, ImmutableList<Problem> newProblems) {
    return new ClusterView(
        name, isMember, slot, generationBase, mastership, newNodes, masters, roles, newProblems);
  }

  /**
   * A live controller, as REST shows it.
   *
   * @param isReached whether messages reach it from this controller, and the other way round
   */
  public record Member(
      String name,
      @JsonProperty("rest") String restAddress,
      int slot,
      int switches,
      boolean isReached) {}

  /** What a controller is to a switch. */
  public enum Role {
    /** The switch obeys it. */
    MASTER,
    /** It has requested to be master, and the switch has not answered yet. */
    REQUESTED,
    /** The switch rejects its claims, because it has seen a later generation id. */
    STALE,
    /** It stands by. */
    SLAVE
  }

  /**
   * What needs an operator.
   *
   * @param text one sentence, for operators
   */
  public record Problem(Kind kind, String text) {
    /** The kinds of problems. */
    public enum Kind {
      /** etcd does not answer, or has no quorum. */
      ETCD_SILENT,
      /** Another live controller has this one's name. */
      NAME_TAKEN,
      /** etcd has lost changes, or switches have accepted later generation ids than it gives. */
      ETCD_BEHIND,
      /** A database of etcd is full, or will be. */
      ETCD_SPACE,
      /** A live controller and this one do not exchange messages. */
      PEER_NOT_REACHED
    }
  }
}
