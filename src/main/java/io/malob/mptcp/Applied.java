package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A plan that is in place, and the request that asked for it. Immutable.
 *
 * @param document the request as it was sent
 * @param lost hosts that cannot be reached now, with the addresses that they had
 */
record Applied(
    String document, MptcpRequest request, LabelledPlan labelled, ImmutableList<Member> lost) {
  NetworkPlan plan() {
    return labelled.plan();
  }

  /** Who cannot be reached, in a sentence. */
  Optional<String> trouble() {
    return lost.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the network is partitioned, or switches are missing; hosts without routes: "
                + lost.stream()
                    .map(member -> member.host().id() + " at " + member.host().switchId())
                    .collect(Collectors.joining(", ")));
  }
}
