package net.floodlightcontroller.linkdiscovery;

import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.projectfloodlight.openflow.types.DatapathId;

/** The links between switches. */
public interface ILinkDiscoveryService extends IFloodlightService {
  /** All directed links with their data. */
  Map<Link, LinkInfo> getLinks();

  /** The links of each switch, in both directions. */
  Map<DatapathId, Set<Link>> getSwitchLinks();

  /** Subscribes to changes. */
  void addListener(ILinkDiscoveryListener linkDiscoveryListener);
}
