package io.malob.module;

import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * Counts what came from the network and was not believed. The embedded controller has it, real
 * Floodlight does not.
 */
public interface INetworkRefusalService extends IFloodlightService {
  /** How often since the controller started, by reason; those that never happened, too. */
  Map<String, Long> byLabel();
}
