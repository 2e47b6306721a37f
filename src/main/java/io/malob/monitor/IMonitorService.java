package io.malob.monitor;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkTracker;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * What the controller sees of network and servers: the trackers, which measuring modules write to
 * and others read from. Safe for use by several threads.
 */
public interface IMonitorService extends IFloodlightService {

  /** The active switches and the links between them, as they were found last. */
  Topology topology();

  /** What is known of links. */
  LinkTracker links();

  /** What is known of servers. */
  ServerTracker servers();

  /** The capacity of a link in this direction; empty if it is unknown. */
  Optional<LinkCapacity> capacity(DirectedLink link);

  /** The capacities that operators have set. */
  ConfiguredCapacities capacities();

  /** How it goes with the port statistics of each active switch. */
  ImmutableSortedMap<DatapathId, PollingStats> portStatistics();

  /** After which time measurements count as unknown. */
  TimesToLive timesToLive();

  /**
   * Says who the link agents are: the probes between those at neighbouring switches are kept on the
   * link between these.
   *
   * @param addresses gives the addresses of all of them as they are now; at once, on any thread
   */
  void setLinkAgents(Supplier<? extends Collection<? extends IPAddress<?>>> addresses);

  /** Now, on the steady clock that measurements are dated by, in nanoseconds. */
  long nanoTime();
}
