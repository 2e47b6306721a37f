package io.malob.resource;

import java.util.List;

/** Resources some of which take large bodies, or wait for switches. */
public interface DeclaresDemands {

  /**
   * The demand of a request.
   *
   * @param path the segments of the path below the base path, decoded, without empty ones
   */
  Demand demandOf(String method, List<String> path);
}
