package io.malob.algorithm.server;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;

/**
 * Chooses one of a fixed, non-empty list of servers. Safe for use by several threads, which never
 * wait for each other; a choice costs at most O(log servers).
 */
public interface ServerPicker {

  /** Picks a server for a connection of a service; returns its index. */
  int pick(ServiceProfile service);

  /** The next result of {@link #pick}; takes no turn. */
  int next(ServiceProfile service);

  /** Tells that the load of a server has changed. */
  default void loadChanged(Server server) {}

  /** How it chooses. */
  Reason reason();

  /** The values that it uses for a server and a service, by name with unit. */
  ImmutableMap<String, Double> values(int index, ServiceProfile service);
}
