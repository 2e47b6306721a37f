package net.floodlightcontroller.devicemanager;

import java.util.Date;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.VlanVid;

/** A host: one MAC address with the IP addresses and switch ports where it was seen. */
public interface IDevice {
  /** A number that stays the same as long as the device is known. */
  Long getDeviceKey();

  /** Its MAC address. */
  MacAddress getMACAddress();

  /** Its MAC address as text. */
  String getMACAddressString();

  /** The VLANs that it was seen on. */
  VlanVid[] getVlanId();

  /** The IPv4 addresses that it used. */
  IPv4Address[] getIPv4Addresses();

  /** The IPv6 addresses that it used. */
  IPv6Address[] getIPv6Addresses();

  /** Its location; empty if unknown. */
  SwitchPort[] getAttachmentPoints();

  /** Its former location. */
  SwitchPort[] getOldAP();

  /** When it was last seen. */
  Date getLastSeen();
}
