package io.malob.module;

import com.google.common.collect.ImmutableList;
import net.floodlightcontroller.core.module.IFloodlightService;

/**
 * Names switches that share a datapath id. Only the embedded controller has this service, not real
 * Floodlight.
 */
public interface IDuplicateSwitchService extends IFloodlightService {
  /** The datapath ids with more than one switch, lately. */
  ImmutableList<DuplicateSwitch> duplicates();
}
