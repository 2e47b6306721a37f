package io.malob.controller.network.devices;

import java.util.Collection;
import java.util.Iterator;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

/** The criteria of a search for devices; null, NONE or port zero if a property does not matter. */
record DeviceQuery(
    @Nullable MacAddress mac,
    @Nullable VlanVid vlan,
    @Nullable IPv4Address ipv4,
    @Nullable IPv6Address ipv6,
    @Nullable DatapathId switchId,
    @Nullable OFPort port) {

  DeviceQuery {
    mac = MacAddress.NONE.equals(mac) ? null : mac;
    ipv4 = IPv4Address.NONE.equals(ipv4) ? null : ipv4;
    ipv6 = IPv6Address.NONE.equals(ipv6) ? null : ipv6;
    switchId = DatapathId.NONE.equals(switchId) ? null : switchId;
    port = OFPort.ZERO.equals(port) ? null : port;
  }

  /** Whether neither a MAC nor an IP address is given. */
  boolean isUnbounded() {
    return mac == null && ipv4 == null && ipv6 == null;
  }

  /** The devices in a table that have all of the properties. */
  Iterator<Device> in(DeviceTable table) {
    return candidates(table).stream().filter(this::accepts).iterator();
  }

  private Collection<Device> candidates(DeviceTable table) {
    if (mac != null) {
      return table.withMac(mac);
    }
    if (ipv4 != null) {
      return table.withAddress(ipv4);
    }
    return ipv6 != null ? table.withAddress(ipv6) : table.all();
  }

  private boolean accepts(Device device) {
    SwitchPort at = device.facts().at();
    return (vlan == null || vlan.equals(device.getVlanId()[0]))
        && (ipv4 == null || device.facts().addresses().contains(ipv4))
        && (ipv6 == null || device.facts().addresses().contains(ipv6))
        && (switchId == null || (at != null && at.getNodeId().equals(switchId)))
        && (port == null || (at != null && at.getPortId().equals(port)));
  }
}
