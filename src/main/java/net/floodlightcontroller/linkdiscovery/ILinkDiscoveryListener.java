package net.floodlightcontroller.linkdiscovery;

import java.util.List;

/** Told when links, switches and ports come and go. */
public interface ILinkDiscoveryListener extends ILinkDiscovery {
  /** A batch of changes, oldest first. */
  void linkDiscoveryUpdate(List<ILinkDiscovery.LDUpdate> updates);
}
