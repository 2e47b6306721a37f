package io.malob.module;

import io.malob.algorithm.Attachment;
import java.util.Iterator;
import java.util.Optional;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Where the controller has seen hosts. Thread-safe.
 *
 * @param devices what keeps track of them
 */
public record AttachedHosts(IDeviceService devices) {

  /** Where the host of that address was last seen. */
  public Optional<Attachment> find(IPv4Address address) {
    Iterator<? extends IDevice> found =
        devices.queryDevices(
            MacAddress.NONE, null, address, IPv6Address.NONE, DatapathId.NONE, OFPort.ZERO);
    while (found.hasNext()) {
      Optional<Attachment> attachment = attachmentOf(found.next());
      if (attachment.isPresent()) {
        return attachment;
      }
    }
    return Optional.empty();
  }

  /** Where a host is attached; empty if that is not known. */
  public static Optional<Attachment> attachmentOf(IDevice device) {
    @Nullable SwitchPort[] ports = device.getAttachmentPoints();
    for (SwitchPort port : ports) {
      if (port != null) {
        return Optional.of(
            new Attachment(port.getNodeId(), port.getPortId(), device.getMACAddress()));
      }
    }
    return Optional.empty();
  }
}
