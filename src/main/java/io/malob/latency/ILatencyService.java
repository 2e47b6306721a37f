package io.malob.latency;

import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The state of the latency measurements. Their results are in {@code
 * io.malob.monitor.IMonitorService}. Safe for use by several threads.
 */
public interface ILatencyService extends IFloodlightService {

  /** The outcomes of all probes since the controller's start. */
  LatencyCounters counters();

  /** The control channels of all active switches, by id in order; each a snapshot. */
  Map<DatapathId, ControlRoundTrip> controlRoundTrips();
}
