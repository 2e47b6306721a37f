package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * An installed plan, with its request. Immutable.
 *
 * @param document the request as it was sent
 * @param lost unreachable hosts, with their last addresses
 */
record Applied(
    String document, MptcpRequest request, LabelledPlan labelled, ImmutableList<Member> lost) {
  NetworkPlan plan() {
    return labelled.plan();
  }

  /** The unreachable hosts, in a sentence. */
  Optional<String> trouble() {
    return lost.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the network is partitioned, or switches are missing or only forward labels; hosts"
                + " without routes: "
                + lost.stream()
                    .map(member -> member.host().id() + " at " + member.host().switchId())
                    .collect(Collectors.joining(", ")));
  }
}
