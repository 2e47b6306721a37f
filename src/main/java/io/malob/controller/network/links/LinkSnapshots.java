package io.malob.controller.network.links;

import net.floodlightcontroller.core.module.IFloodlightService;

/** Where the topology gets links and ports from, all of one moment. */
public interface LinkSnapshots extends IFloodlightService {
  /** What is known now. Costs nothing, any thread. */
  LinkSnapshot current();
}
