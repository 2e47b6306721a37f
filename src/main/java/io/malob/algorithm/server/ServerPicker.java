package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;

/**
 * Chooses one of a fixed, non-empty list of servers. Safe for use by several threads, which never
 * wait for each other; a choice costs at most O(log servers).
 */
public interface ServerPicker {

  /** The index of the server to take. */
  int pick();

  /** The index that {@link #pick} would give now; takes no turn. */
  int next();

  /** Tells that the load of a server has changed. */
  default void loadChanged(Server server) {}

  /** How it chooses. */
  Reason reason();

  /** What it knows of a server, by name with its unit. */
  ImmutableMap<String, Double> values(int index);
}
