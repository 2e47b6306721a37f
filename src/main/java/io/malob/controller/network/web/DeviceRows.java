package io.malob.controller.network.web;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.projectfloodlight.openflow.types.VlanVid;

/** Hosts as Floodlight shows them. Pure. */
final class DeviceRows {
  private DeviceRows() {}

  /** A switch port where a host is attached. */
  record Place(@JsonProperty("switch") String switchId, String port) {}

  /** One host; the time is in milliseconds since the epoch. */
  record Row(
      List<String> mac,
      List<String> ipv4,
      List<String> vlan,
      List<Place> attachmentPoint,
      long lastSeen) {}

  /** The rows of these hosts, by MAC address and VLAN. */
  static List<Row> of(Collection<? extends IDevice> devices) {
    return devices.stream()
        .sorted(Comparator.comparing(IDevice::getDeviceKey))
        .map(DeviceRows::row)
        .toList();
  }

  @SuppressWarnings("JavaUtilDate") // Floodlight's type
  private static Row row(IDevice device) {
    return new Row(
        List.of(device.getMACAddressString()),
        Arrays.stream(device.getIPv4Addresses()).map(Object::toString).toList(),
        Arrays.stream(device.getVlanId()).map(DeviceRows::hex).toList(),
        Arrays.stream(device.getAttachmentPoints()).map(DeviceRows::place).toList(),
        device.getLastSeen().getTime());
  }

  private static String hex(VlanVid vlan) {
    return "0x" + Integer.toHexString(vlan.getVlan());
  }

  private static Place place(SwitchPort port) {
    return new Place(port.getNodeId().toString(), port.getPortId().toString());
  }
}
