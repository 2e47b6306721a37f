package io.malob.monitor;

import io.malob.algorithm.graph.Topology;
import io.malob.state.network.LinkTracker;
import io.malob.state.network.ServerTracker;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * What the controller sees of network and servers: the trackers, which measuring modules write to
 * and others read from. Safe for use by several threads.
 */
public interface IMonitorService extends IFloodlightService {

  /** The active switches and the links between them, as they were found last. */
  Topology topology();

  /** What is known of links. */
  LinkTracker links();

  /** What is known of servers. */
  ServerTracker servers();

  /** Now, on the steady clock that measurements are dated by, in nanoseconds. */
  long nanoTime();
}
