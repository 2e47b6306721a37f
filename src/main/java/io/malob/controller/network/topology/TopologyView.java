package io.malob.controller.network.topology;

import net.floodlightcontroller.core.module.IFloodlightService;

/** Where hosts and forwarding get the topology from, all of one moment. */
public interface TopologyView extends IFloodlightService {
  /** The topology now. Costs nothing, any thread. */
  TopologySnapshot current();
}
