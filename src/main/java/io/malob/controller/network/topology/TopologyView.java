package io.malob.controller.network.topology;

import net.floodlightcontroller.core.module.IFloodlightService;

/** The source of the topology for hosts and forwarding, all of one moment. */
public interface TopologyView extends IFloodlightService {
  /** The current topology. Free of cost, any thread. */
  TopologySnapshot current();
}
