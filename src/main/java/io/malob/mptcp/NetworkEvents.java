package io.malob.mptcp;

import java.util.List;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.PortChangeType;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.topology.ITopologyListener;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;

/** Passes on what switches, links and hosts do to the {@link MptcpModule}. */
final class NetworkEvents implements IOFSwitchListener, ITopologyListener, IDeviceListener {
  private final MptcpModule module;

  NetworkEvents(MptcpModule module) {
    this.module = module;
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    module.switchActive(switchId);
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    module.switchGone(switchId);
  }

  @Override
  public void switchDeactivated(DatapathId switchId) {
    module.switchGone(switchId);
  }

  @Override
  public void switchAdded(DatapathId switchId) {}

  @Override
  public void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change) {}

  @Override
  public void switchChanged(DatapathId switchId) {}

  @Override
  public void topologyChanged(List<LDUpdate> updates) {
    module.networkChanged();
  }

  @Override
  public void deviceAdded(IDevice device) {
    module.networkChanged();
  }

  @Override
  public void deviceRemoved(IDevice device) {
    module.networkChanged();
  }

  @Override
  public void deviceMoved(IDevice device) {
    module.networkChanged();
  }

  @Override
  public void deviceIPV4AddrChanged(IDevice device) {
    module.networkChanged();
  }

  @Override
  public void deviceIPV6AddrChanged(IDevice device) {}

  @Override
  public void deviceVlanChanged(IDevice device) {
    module.networkChanged();
  }

  @Override
  public String getName() {
    return MptcpModule.NAME;
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
