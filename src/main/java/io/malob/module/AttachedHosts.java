package io.malob.module;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The known locations of hosts. Thread-safe.
 *
 * @param devices the device tracker
 */
public record AttachedHosts(IDeviceService devices) {

  /**
   * A host at its last location.
   *
   * @param addresses the known ones, sorted
   */
  public record Seen(ImmutableList<IPAddress<?>> addresses, Attachment at) {

    /** Its address of that IP version, the smallest of several; null while none is known. */
    public @Nullable IPAddress<?> address(IPVersion version) {
      return addresses.stream()
          .filter(address -> address.getIpVersion() == version)
          .findFirst()
          .orElse(null);
    }
  }

  /** The last location of the host with that address. */
  public Optional<Attachment> find(IPAddress<?> address) {
    IPv4Address ipv4 = address instanceof IPv4Address known ? known : IPv4Address.NONE;
    IPv6Address ipv6 = address instanceof IPv6Address known ? known : IPv6Address.NONE;
    Iterator<? extends IDevice> found =
        devices.queryDevices(MacAddress.NONE, null, ipv4, ipv6, DatapathId.NONE, OFPort.ZERO);
    while (found.hasNext()) {
      Optional<Attachment> attachment = attachmentOf(found.next());
      if (attachment.isPresent()) {
        return attachment;
      }
    }
    return Optional.empty();
  }

  /** The host with that MAC address; empty if it, or its location, is unknown. */
  public Optional<Seen> find(MacAddress mac) {
    Iterator<? extends IDevice> found =
        devices.queryDevices(
            mac, null, IPv4Address.NONE, IPv6Address.NONE, DatapathId.NONE, OFPort.ZERO);
    while (found.hasNext()) {
      IDevice device = found.next();
      Optional<Attachment> at = attachmentOf(device);
      if (at.isPresent()) {
        return Optional.of(new Seen(addressesOf(device), at.get()));
      }
    }
    return Optional.empty();
  }

  /** The addresses of a host, sorted: IPv4 first, then IPv6 without those of its link only. */
  public static ImmutableList<IPAddress<?>> addressesOf(IDevice device) {
    return ImmutableList.<IPAddress<?>>builder()
        .addAll(ImmutableList.sortedCopyOf(List.of(device.getIPv4Addresses())))
        .addAll(
            Arrays.stream(device.getIPv6Addresses())
                .filter(address -> !address.isUnspecified() && !address.isLinkLocal())
                .sorted()
                .toList())
        .build();
  }

  /** The location of a host; empty if unknown. */
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
