package io.malob.latency;

import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * How the measuring of latencies goes. What is measured of links is in {@code
 * io.malob.monitor.IMonitorService}. Safe for use by several threads.
 */
public interface ILatencyService extends IFloodlightService {

  /** What became of all probes since the controller started. */
  LatencyCounters counters();

  /** The control channels of all active switches, by id in order; each a snapshot. */
  Map<DatapathId, ControlRoundTrip> controlRoundTrips();
}
