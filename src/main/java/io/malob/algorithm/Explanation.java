package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.Path;
import java.util.Optional;

/**
 * The choice that a placer would make for a request, with reasons. For operators; linear in the
 * number of servers.
 *
 * @param result what it would choose
 * @param server the rule for the server
 * @param path the rule for the paths; the same if one rule chooses both
 * @param candidates the servers of the pool, in its order
 */
public record Explanation(
    Placer.Result result, Reason server, Reason path, ImmutableList<Candidate> candidates) {

  /**
   * One candidate.
   *
   * @param paths the paths to it and back; empty if there are none
   * @param values the values that the rules use, by name with unit
   * @param acceptable whether the request may go to it at all
   */
  public record Candidate(
      Server server,
      Optional<Paths> paths,
      ImmutableMap<String, Double> values,
      boolean acceptable) {}

  /** The path from the client to the server, and the one back. */
  public record Paths(Path request, Path reply) {}
}
