package net.floodlightcontroller.topology;

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

  /** Whether hosts may be attached to that port: a port that is up and leads to no other switch. */
  boolean isAttachmentPointPort(DatapathId switchId, OFPort port);

  /** Whether a broadcast may enter or leave at that port. */
  boolean isBroadcastAllowed(DatapathId switchId, OFPort port);

  /** Whether there is a path between two switches. */
  boolean isInSameCluster(DatapathId switchId, DatapathId switchId2);

  /** The links that leave or reach each switch. */
  Map<DatapathId, Set<Link>> getAllLinks();
}
