package io.malob.module;

import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * Counts rejected input from the network. Only the embedded controller has this service, not real
 * Floodlight.
 */
public interface INetworkRefusalService extends IFloodlightService {
  /** The counts since the controller's start, by reason, including zeros. */
  Map<String, Long> byLabel();
}
