package net.floodlightcontroller.linkdiscovery;

import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import org.projectfloodlight.openflow.types.DatapathId;

/** The links between switches. */
public interface ILinkDiscoveryService extends IFloodlightService {
  /** All directed links with their data. */
  Map<Link, LinkInfo> getLinks();

  /** The data of a link, or null. */
  LinkInfo getLinkInfo(Link link);

  /** The links of each switch, in both directions. */
  Map<DatapathId, Set<Link>> getSwitchLinks();

  /** Subscribes to changes. */
  void addListener(ILinkDiscoveryListener linkDiscoveryListener);

  /** The links of each port, in both directions. */
  Map<NodePortTuple, Set<Link>> getPortLinks();
}
