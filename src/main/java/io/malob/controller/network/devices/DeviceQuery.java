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

  /** Whether neither a MAC nor an IP address is given. */
  boolean isUnbounded() {
    return !hasMac() && !hasIpv4() && !hasIpv6();
  }

  /** The devices in a table that have all of the properties. */
  Iterator<Device> in(DeviceTable table) {
    return candidates(table).stream().filter(this::accepts).iterator();
  }

  private Collection<Device> candidates(DeviceTable table) {
    if (mac != null && hasMac()) {
      return table.withMac(mac);
    }
    if (ipv4 != null && hasIpv4()) {
      return table.withAddress(ipv4);
    }
    return ipv6 != null && hasIpv6() ? table.withAddress(ipv6) : table.all();
  }

  private boolean accepts(Device device) {
    SwitchPort at = device.facts().at();
    return (vlan == null || vlan.equals(device.getVlanId()[0]))
        && (!hasIpv4() || device.facts().addresses().contains(ipv4))
        && (!hasIpv6() || device.facts().addresses().contains(ipv6))
        && (!hasSwitch() || (at != null && at.getNodeId().equals(switchId)))
        && (!hasPort() || (at != null && at.getPortId().equals(port)));
  }

  private boolean hasMac() {
    return mac != null && !mac.equals(MacAddress.NONE);
  }

  private boolean hasIpv4() {
    return ipv4 != null && !ipv4.equals(IPv4Address.NONE);
  }

  private boolean hasIpv6() {
    return ipv6 != null && !ipv6.equals(IPv6Address.NONE);
  }

  private boolean hasSwitch() {
    return switchId != null && !switchId.equals(DatapathId.NONE);
  }

  private boolean hasPort() {
    return port != null && !port.equals(OFPort.ZERO);
  }
}
