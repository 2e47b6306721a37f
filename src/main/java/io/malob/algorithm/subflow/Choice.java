package io.malob.algorithm.subflow;

/**
 * One demand, and the ways that it may take.
 *
 * @param reason why they are of their kind, in a sentence, for people
 */
record Choice(Demand demand, Counter counter, Route.Kind kind, String reason, Ways ways) {

  FlowIdentity identity() {
    return demand.identity();
  }
}
