package io.malob.balancer.replica;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection;
import org.projectfloodlight.openflow.types.DatapathId;

/** One entry of a message between controllers. What it says is true when it is sent. */
sealed interface ReplicaEntry {

  /**
   * A connection as it is now.
   *
   * @param memberNumber the member's number in the catalog
   * @param keepsPort whether the member gets packets at the port of the VIP, whatever its own is
   * @param reply the replies, as the member makes them
   * @param wasEnded whether its client had ended it when its rules expired
   * @param isAnswered as {@link Connection#isAnswered}
   * @param halfOpenSeconds for how long it counts as half open; 0 if it does not
   * @param ageMillis how long ago its first packet came
   * @param requestLabel the label's id; 0 if it has no paths, or for a path within one switch
   * @param replyLabel the same of the replies
   */
  record Placed(
      FiveTuple request,
      FiveTuple reply,
      int vipNumber,
      int memberNumber,
      boolean keepsPort,
      Algorithm algorithm,
      int generation,
      Connection.State state,
      boolean wasEnded,
      boolean isAnswered,
      boolean isBrief,
      int halfOpenSeconds,
      long ageMillis,
      Attachment client,
      Attachment member,
      int requestLabel,
      int replyLabel)
      implements ReplicaEntry {}

  /** There is no connection of this five-tuple any more. */
  record Gone(FiveTuple request, DatapathId clientSwitch) implements ReplicaEntry {}

  /** A label with its path as it is now. */
  record Labelled(int label, Path path) implements ReplicaEntry {}

  /** There is no such label any more. */
  record LabelGone(int label) implements ReplicaEntry {}

  /** Everything about these switches follows: the sender is their master. */
  record Begin(ImmutableSet<DatapathId> switches) implements ReplicaEntry {}

  /** Everything about the switches of the latest {@link Begin} has been sent. */
  record End() implements ReplicaEntry {}

  /** The receiver has missed something: the sender begins anew. */
  record Again() implements ReplicaEntry {}
}
