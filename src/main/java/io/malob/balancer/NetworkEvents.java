package io.malob.balancer;

import java.util.List;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.PortChangeType;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.topology.ITopologyListener;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;

/** Passes on what switches, links and hosts do to the {@link Upkeep}. */
final class NetworkEvents implements IOFSwitchListener, ITopologyListener, IDeviceListener {
  private final Upkeep upkeep;

  NetworkEvents(Upkeep upkeep) {
    this.upkeep = upkeep;
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    upkeep.switchActivated(switchId);
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    upkeep.switchRemoved(switchId);
  }

  @Override
  public void switchAdded(DatapathId switchId) {}

  @Override
  public void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change) {}

  @Override
  public void switchChanged(DatapathId switchId) {}

  /** It takes no orders now, like one that has gone; when it does again, it is activated. */
  @Override
  public void switchDeactivated(DatapathId switchId) {
    upkeep.switchRemoved(switchId);
  }

  @Override
  public void topologyChanged(List<LDUpdate> updates) {
    upkeep.topologyChanged();
  }

  @Override
  public void deviceAdded(IDevice device) {
    upkeep.hostChanged(device);
  }

  @Override
  public void deviceRemoved(IDevice device) {
    upkeep.hostChanged(device);
  }

  @Override
  public void deviceMoved(IDevice device) {
    upkeep.hostChanged(device);
  }

  @Override
  public void deviceIPV4AddrChanged(IDevice device) {
    upkeep.hostChanged(device);
  }

  @Override
  public void deviceIPV6AddrChanged(IDevice device) {}

  @Override
  public void deviceVlanChanged(IDevice device) {}

  @Override
  public String getName() {
    return BalancerModule.NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(String type, String name) {
    return false;
  }

  @Override
  public boolean isCallbackOrderingPostreq(String type, String name) {
    return false;
  }
}
