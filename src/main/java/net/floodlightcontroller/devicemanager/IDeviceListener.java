package net.floodlightcontroller.devicemanager;

import net.floodlightcontroller.core.IListener;

/** Listener for new, moved, changed and removed hosts. */
public interface IDeviceListener extends IListener<String> {
  /** A new host. */
  void deviceAdded(IDevice device);

  /** A host that was silent for too long. */
  void deviceRemoved(IDevice device);

  /** A host that is now seen at another port. */
  void deviceMoved(IDevice device);

  /** A host with other IPv4 addresses than before. */
  void deviceIPV4AddrChanged(IDevice device);

  /** A host with other IPv6 addresses than before. */
  void deviceIPV6AddrChanged(IDevice device);

  /** A host on other VLANs than before. */
  void deviceVlanChanged(IDevice device);
}
