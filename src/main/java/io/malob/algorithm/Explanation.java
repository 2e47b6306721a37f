package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.Path;
import java.util.Optional;

/**
 * What a placer would choose for a request, and why. Made for people; linear in the servers.
 *
 * @param result what it would choose
 * @param server how the server is chosen
 * @param path how its paths are; the same where one rule chooses both
 * @param candidates the servers of the pool, in its order
 */
public record Explanation(
    Placer.Result result, Reason server, Reason path, ImmutableList<Candidate> candidates) {

  /**
   * One server that could be chosen.
   *
   * @param paths how it would be reached; empty if it cannot be
   * @param values what the rules look at, by name with its unit
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
