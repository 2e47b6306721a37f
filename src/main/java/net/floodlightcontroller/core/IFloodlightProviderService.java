package net.floodlightcontroller.core;

import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.protocol.OFType;

/** The controller itself: where modules subscribe to the messages of switches. */
public interface IFloodlightProviderService extends IFloodlightService, Runnable {
  /** Subscribes to messages of one type; the order follows the listeners' own constraints. */
  void addOFMessageListener(OFType type, IOFMessageListener oFMessageListener);

  /** The subscriptions, in the order in which they are called. */
  Map<OFType, List<IOFMessageListener>> getListeners();
}
