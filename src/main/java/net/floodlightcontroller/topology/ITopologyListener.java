package net.floodlightcontroller.topology;

import java.util.List;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery;

/** Told when the topology has been computed anew. */
public interface ITopologyListener {
  /** The changes that led to the new topology; those that arrived together come together. */
  void topologyChanged(List<ILinkDiscovery.LDUpdate> updates);
}
