package io.malob.algorithm.server;

import io.malob.algorithm.Server;

/**
 * Chooses one of a fixed, non-empty list of servers. Safe for use by several threads, which never
 * wait for each other; a choice costs at most O(log servers).
 */
public interface ServerPicker {

  /** The index of the server to take. */
  int pick();

  /** Tells that the connections of a server were counted up or down. */
  default void loadChanged(Server server) {}
}
