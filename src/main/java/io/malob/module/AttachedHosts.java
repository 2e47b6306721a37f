package io.malob.module;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
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
import org.projectfloodlight.openflow.types.VlanVid;

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

  /**
   * The last location of the host with that address; of the first one if it is in several VLANs.
   */
  public Optional<Attachment> find(IPAddress<?> address) {
    return located(address).findFirst();
  }

  /** The last location of the host with that address in its VLAN. */
  public Optional<Attachment> find(VlanAddress host) {
    return located(host.address()).filter(at -> at.vlan() == host.vlan()).findFirst();
  }

  private Stream<Attachment> located(IPAddress<?> address) {
    IPv4Address ipv4 = address instanceof IPv4Address known ? known : IPv4Address.NONE;
    IPv6Address ipv6 = address instanceof IPv6Address known ? known : IPv6Address.NONE;
    return stream(
            devices.queryDevices(MacAddress.NONE, null, ipv4, ipv6, DatapathId.NONE, OFPort.ZERO))
        .flatMap(device -> attachmentOf(device).stream());
  }

  private static Stream<IDevice> stream(Iterator<? extends IDevice> found) {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(found, Spliterator.NONNULL), false);
  }

  /** The host with that MAC address; empty if it, or its location, is unknown. */
  public Optional<Seen> find(MacAddress mac) {
    return withMac(mac).findFirst();
  }

  /** The same in a VLAN; 0 if its frames are untagged. */
  public Optional<Seen> seen(MacAddress mac, int vlan) {
    return withMac(mac).filter(seen -> seen.at.vlan() == vlan).findFirst();
  }

  /** Where the host with a MAC address on a VLAN is; empty if unknown. 0 is for untagged frames. */
  public Optional<Attachment> find(MacAddress mac, int vlan) {
    return seen(mac, vlan).map(Seen::at);
  }

  private Stream<Seen> withMac(MacAddress mac) {
    return stream(
            devices.queryDevices(
                mac, null, IPv4Address.NONE, IPv6Address.NONE, DatapathId.NONE, OFPort.ZERO))
        .flatMap(
            device -> attachmentOf(device).map(at -> new Seen(addressesOf(device), at)).stream());
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
            new Attachment(
                port.getNodeId(), port.getPortId(), device.getMACAddress(), vlanOf(device)));
      }
    }
    return Optional.empty();
  }

  /** Floodlight has one device for each MAC address and VLAN, and several spellings of no VLAN. */
  private static int vlanOf(IDevice device) {
    @Nullable VlanVid[] vlans = device.getVlanId();
    @Nullable VlanVid vlan = vlans == null || vlans.length == 0 ? null : vlans[0];
    return vlan == null ? 0 : Math.max(0, vlan.getVlan());
  }
}
