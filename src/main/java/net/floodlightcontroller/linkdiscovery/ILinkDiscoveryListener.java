package net.floodlightcontroller.linkdiscovery;

import java.util.List;

/** Listener for changes of links, switches and ports. */
public interface ILinkDiscoveryListener extends ILinkDiscovery {
  /** A batch of changes, oldest first. */
  void linkDiscoveryUpdate(List<ILinkDiscovery.LDUpdate> updates);
}
