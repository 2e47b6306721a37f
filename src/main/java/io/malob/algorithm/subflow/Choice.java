package io.malob.algorithm.subflow;

/**
 * One demand, and its possible routes.
 *
 * @param reason why they are of their kind, in a sentence
 */
record Choice(Demand demand, Counter counter, Route.Kind kind, String reason, Ways ways) {

  FlowIdentity identity() {
    return demand.identity();
  }
}
