package io.malob.monitor;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The state of network and servers: the trackers, which measuring modules write and others read.
 * Safe for use by several threads.
 */
public interface IMonitorService extends IFloodlightService {

  /** The active switches and the links between them, by the last discovery. */
  Topology topology();

  /**
   * The links that this controller measures, and their ends. In a cluster, these are the links that
   * begin at its active switches, also those to switches of other controllers.
   */
  default Topology measuredLinks() {
    return topology();
  }

  /** The measurements of links. */
  MeasuredLinks links();

  /** The measurements of servers. */
  ServerTracker servers();

  /** The capacity of a link in this direction; empty if it is unknown. */
  Optional<LinkCapacity> capacity(DirectedLink link);

  /** The capacities that operators have set. */
  ConfiguredCapacities capacities();

  /** The state of port statistics of each active switch. */
  ImmutableSortedMap<DatapathId, PollingStats> portStatistics();

  /** The lifetimes of measurements. */
  TimesToLive timesToLive();

  /**
   * Sets the link agents: the probes between agents at neighbouring switches are kept on the link
   * between these.
   *
   * @param addresses returns their current addresses; at once, on any thread
   */
  void setLinkAgents(Supplier<? extends Collection<? extends IPAddress<?>>> addresses);

  /** The time of measurements' steady clock, in nanoseconds. */
  long nanoTime();
}
