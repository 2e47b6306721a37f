package net.floodlightcontroller.topology;

import java.util.List;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery;

/** Listener for a new topology. */
public interface ITopologyListener {
  /** The changes that led to the new topology; in one batch if they arrived together. */
  void topologyChanged(List<ILinkDiscovery.LDUpdate> updates);
}
