package io.malob.module;

import java.util.List;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.topology.ITopologyListener;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Passes on what switches, links and hosts do.
 *
 * @param name of the listener, by which others order themselves
 * @param follower who is told, by any thread
 */
public record NetworkEvents(String name, Follower follower)
    implements SwitchListener, ITopologyListener, IDeviceListener, Unordered<String> {
  /** Follows the network. */
  public interface Follower {
    /** A switch takes orders. */
    void switchActivated(DatapathId switchId);

    /** A switch has gone, or takes no more orders. */
    void switchRemoved(DatapathId switchId);

    /** Links have come or gone. */
    void topologyChanged();

    /** A host has come, gone, moved, or has other IPv4 addresses. */
    void hostChanged(IDevice device);

    /** A host is attached elsewhere; told besides {@link #hostChanged}, after it. */
    default void hostMoved(IDevice device) {}

    /** A host is on other VLANs than before. */
    default void hostVlanChanged(IDevice device) {}
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    follower.switchActivated(switchId);
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    follower.switchRemoved(switchId);
  }

  /** It takes no orders now, like one that has gone; when it does again, it is activated. */
  @Override
  public void switchDeactivated(DatapathId switchId) {
    follower.switchRemoved(switchId);
  }

  @Override
  public void topologyChanged(List<LDUpdate> updates) {
    follower.topologyChanged();
  }

  @Override
  public void deviceAdded(IDevice device) {
    follower.hostChanged(device);
  }

  @Override
  public void deviceRemoved(IDevice device) {
    follower.hostChanged(device);
  }

  @Override
  public void deviceMoved(IDevice device) {
    follower.hostChanged(device);
    follower.hostMoved(device);
  }

  @Override
  public void deviceIPV4AddrChanged(IDevice device) {
    follower.hostChanged(device);
  }

  @Override
  public void deviceIPV6AddrChanged(IDevice device) {}

  @Override
  public void deviceVlanChanged(IDevice device) {
    follower.hostVlanChanged(device);
  }

  @Override
  public String getName() {
    return name;
  }
}
