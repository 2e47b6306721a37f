package io.malob.controller.network.web;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.projectfloodlight.openflow.types.VlanVid;

/** Hosts as Floodlight shows them. Pure. */
final class DeviceRows {
  private DeviceRows() {}

  /** The rows of these hosts, by MAC address and VLAN; times are milliseconds since the epoch. */
  static List<Map<String, Object>> of(Collection<? extends IDevice> devices) {
    return devices.stream()
        .sorted(Comparator.comparing(IDevice::getDeviceKey))
        .map(DeviceRows::row)
        .toList();
  }

  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  private static Map<String, Object> row(IDevice device) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("mac", List.of(device.getMACAddressString()));
    row.put("ipv4", Arrays.stream(device.getIPv4Addresses()).map(Object::toString).toList());
    row.put("ipv6", Arrays.stream(device.getIPv6Addresses()).map(Object::toString).toList());
    row.put("vlan", Arrays.stream(device.getVlanId()).map(DeviceRows::hex).toList());
    row.put(
        "attachmentPoint",
        Arrays.stream(device.getAttachmentPoints()).map(DeviceRows::place).toList());
    row.put("lastSeen", device.getLastSeen().getTime());
    return row;
  }

  private static String hex(VlanVid vlan) {
    return "0x" + Integer.toHexString(vlan.getVlan());
  }

  private static Map<String, Object> place(SwitchPort port) {
    Map<String, Object> place = new LinkedHashMap<>();
    place.put("switch", port.getNodeId().toString());
    place.put("port", port.getPortId().toString());
    return place;
  }
}
