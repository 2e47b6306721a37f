package net.floodlightcontroller.devicemanager;

import java.util.Collection;
import java.util.Iterator;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

/** The hosts that the network has seen. */
public interface IDeviceService extends IFloodlightService {
  /** The device of that key, or null. */
  IDevice getDevice(Long key);

  /**
   * The one device with these properties; those that are null (or NONE, for IP addresses) do not
   * count.
   */
  IDevice findDevice(
      MacAddress mac,
      VlanVid vlan,
      IPv4Address ipv4,
      IPv6Address ipv6,
      DatapathId switchId,
      OFPort port)
      throws IllegalArgumentException;

  /** All known devices. */
  Collection<? extends IDevice> getAllDevices();

  /**
   * All devices with these properties; those that are null (or NONE, for IP addresses) do not
   * count.
   */
  Iterator<? extends IDevice> queryDevices(
      MacAddress mac,
      VlanVid vlan,
      IPv4Address ipv4,
      IPv6Address ipv6,
      DatapathId switchId,
      OFPort port);

  /** Subscribes to changes. */
  void addListener(IDeviceListener deviceListener);
}
