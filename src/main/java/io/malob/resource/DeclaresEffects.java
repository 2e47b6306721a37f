package io.malob.resource;

import java.util.List;

/**
 * Resources some of which change state by GET, as Floodlight's do. Without a declaration, GET, HEAD
 * and OPTIONS read and every other method writes.
 */
public interface DeclaresEffects {

  /**
   * The effect of a request.
   *
   * @param method GET, HEAD or OPTIONS
   * @param path the segments of the path below the base path, decoded, without empty ones
   */
  Effect effectOf(String method, List<String> path);
}
