package io.malob.mptcp;

/**
 * A plan that is in place, and the request that asked for it, as it was sent.
 *
 * @param request the JSON text
 */
record Applied(String request, LabelledPlan labelled) {
  NetworkPlan plan() {
    return labelled.plan();
  }
}
