package net.floodlightcontroller.topology;

import java.util.Date;
import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.linkdiscovery.Link;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** The network of switches as one graph. */
public interface ITopologyService extends IFloodlightService {
  /** Subscribes to changes. */
  void addListener(ITopologyListener topologyListener);

  /** Ends a subscription. */
  void removeListener(ITopologyListener topologyListener);

  /** When the topology last changed. */
  Date getLastUpdateTime();

  /** Whether hosts may be attached to that port: a port that is up and leads to no other switch. */
  boolean isAttachmentPointPort(DatapathId switchId, OFPort port);

  /** Whether that port leads to no other switch. */
  boolean isEdge(DatapathId switchId, OFPort port);

  /** The ports over which a broadcast leaves a switch. */
  Set<OFPort> getSwitchBroadcastPorts(DatapathId switchId);

  /** Whether a broadcast may enter or leave at that port. */
  boolean isBroadcastAllowed(DatapathId switchId, OFPort port);

  /** The enabled ports of a switch. */
  Set<OFPort> getPorts(DatapathId switchId);

  /** Whether there is a path between two switches. */
  boolean isInSameCluster(DatapathId switchId, DatapathId switchId2);

  /** The links that leave or reach each switch. */
  Map<DatapathId, Set<Link>> getAllLinks();

  /** The ports of a switch that lead to other switches. */
  Set<OFPort> getPortsWithLinks(DatapathId switchId);
}
