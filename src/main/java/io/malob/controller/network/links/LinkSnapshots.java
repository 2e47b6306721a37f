package io.malob.controller.network.links;

import net.floodlightcontroller.core.module.IFloodlightService;

/** The source of links and ports for the topology, all of one moment. */
public interface LinkSnapshots extends IFloodlightService {
  /** The current snapshot. Free of cost, any thread. */
  LinkSnapshot current();
}
