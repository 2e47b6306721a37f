package io.malob.module;

import java.util.List;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.topology.ITopologyListener;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Forwards events of switches, links and hosts.
 *
 * @param name of the listener, by which others order themselves
 * @param follower the receiver, called by any thread
 */
public record NetworkEvents(String name, Follower follower)
    implements SwitchListener, ITopologyListener, IDeviceListener, Unordered<String> {
  /** Follows the network: overrides the events that it needs. */
  public interface Follower {
    /** This controller is now master of a switch. */
    default void switchActivated(DatapathId switchId) {}

    /** A switch has disconnected, or this controller is no longer its master. */
    default void switchRemoved(DatapathId switchId) {}

    /** Links were added or removed. */
    default void topologyChanged() {}

    /** A host was added, removed or moved, or its addresses have changed. */
    default void hostChanged(IDevice device) {}

    /** A host has moved; called in addition to {@link #hostChanged}, after it. */
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

  /**
   * This controller is no longer master, which is handled like a disconnected switch. When it is
   * master again, the switch is activated.
   */
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
  public void deviceIPV6AddrChanged(IDevice device) {
    follower.hostChanged(device);
  }

  @Override
  public void deviceVlanChanged(IDevice device) {
    follower.hostVlanChanged(device);
  }

  @Override
  public String getName() {
    return name;
  }
}
