package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;

/**
 * Chooses one of a fixed, non-empty list of servers. Safe for use by several threads, which never
 * wait for each other; a choice costs at most O(log servers).
 */
public interface ServerPicker {

  /** Picks a server; returns its index. */
  int pick();

  /** The next result of {@link #pick}; takes no turn. */
  int next();

  /** Tells that the load of a server has changed. */
  default void loadChanged(Server server) {}

  /** How it chooses. */
  Reason reason();

  /** The values that it uses for a server, by name with unit. */
  ImmutableMap<String, Double> values(int index);
}
