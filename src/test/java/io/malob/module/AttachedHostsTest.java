package io.malob.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import io.malob.testing.Stub;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

class AttachedHostsTest {
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");
  private static final IPv4Address LOW = IPv4Address.of("10.0.0.1");
  private static final IPv4Address HIGH = IPv4Address.of("10.0.0.9");
  private static final IPv6Address LOW6 = IPv6Address.of("2001:db8::1");
  private static final IPv6Address HIGH6 = IPv6Address.of("2001:db8::9");
  private static final Attachment AT = new Attachment(DatapathId.of(1), OFPort.of(5), MAC);

  /** As Floodlight tells it, which learns from the source of any IPv6 packet. */
  private static IDevice device(IPv4Address[] ipv4, IPv6Address... ipv6) {
    return Stub.of(IDevice.class)
        .on("getVlanId", none -> new VlanVid[] {VlanVid.ZERO})
        .on("getMACAddress", none -> MAC)
        .on("getIPv4Addresses", none -> ipv4)
        .on("getIPv6Addresses", none -> ipv6)
        .on(
            "getAttachmentPoints",
            none -> new SwitchPort[] {new SwitchPort(AT.switchId(), AT.port())})
        .make();
  }

  /** A service in which a query finds that device if it asks for one of its IPv6 addresses. */
  private static AttachedHosts hosts(IDevice device) {
    return new AttachedHosts(
        Stub.of(IDeviceService.class)
            .on(
                "queryDevices",
                with -> {
                  boolean isFound =
                      with[0].equals(MAC)
                          || List.of(device.getIPv6Addresses()).contains((IPv6Address) with[3]);
                  return (isFound ? List.of(device) : List.<IDevice>of()).iterator();
                })
            .make());
  }

  @Test
  void addresses_areSortedByIpVersion_withoutThoseOfTheLinkOnly() {
    IDevice device =
        device(
            new IPv4Address[] {HIGH, LOW},
            HIGH6,
            IPv6Address.of("fe80::1"),
            LOW6,
            IPv6Address.NONE);
    assertEquals(List.of(LOW, HIGH, LOW6, HIGH6), AttachedHosts.addressesOf(device));
  }

  @Test
  void host_isFoundByItsIpv6Address() {
    AttachedHosts hosts = hosts(device(new IPv4Address[0], LOW6));
    assertEquals(Optional.of(AT), hosts.find(LOW6));
    assertEquals(Optional.empty(), hosts.find(HIGH6));
  }

  /** Floodlight tells several things of a host without a VLAN, by its version. */
  @Test
  void sameAddressInTwoVlans_isOfTwoHosts() {
    for (VlanVid untagged : new VlanVid[] {VlanVid.ZERO, null}) {
      AttachedHosts hosts = inVlans(untagged, VlanVid.ofVlan(100));
      Attachment tagged = new Attachment(AT.switchId(), AT.port(), MAC, 100);
      assertEquals(Optional.of(AT), hosts.find(new VlanAddress(LOW6, 0)));
      assertEquals(Optional.of(tagged), hosts.find(new VlanAddress(LOW6, 100)));
      assertEquals(Optional.empty(), hosts.find(new VlanAddress(LOW6, 200)));
      assertEquals(Optional.of(tagged), hosts.find(MAC, 100));
      assertEquals(Optional.of(AT), hosts.find(MAC, 0));
      assertEquals(Optional.empty(), hosts.find(MAC, 200));
    }
  }

  private static AttachedHosts inVlans(@Nullable VlanVid... vlans) {
    List<IDevice> devices =
        Arrays.stream(vlans)
            .map(
                vlan ->
                    Stub.of(IDevice.class)
                        .on("getMACAddress", none -> MAC)
                        .on("getVlanId", none -> new VlanVid[] {vlan})
                        .on("getIPv4Addresses", none -> new IPv4Address[0])
                        .on("getIPv6Addresses", none -> new IPv6Address[] {LOW6})
                        .on(
                            "getAttachmentPoints",
                            none -> new SwitchPort[] {new SwitchPort(AT.switchId(), AT.port())})
                        .make())
            .toList();
    return new AttachedHosts(
        Stub.of(IDeviceService.class).on("queryDevices", with -> devices.iterator()).make());
  }

  @Test
  void host_foundByItsMac_hasAnAddressOfEachIpVersion() {
    AttachedHosts.Seen both =
        hosts(device(new IPv4Address[] {HIGH, LOW}, HIGH6, LOW6)).find(MAC).orElseThrow();
    assertEquals(AT, both.at());
    assertEquals(LOW, both.address(IPVersion.IPv4));
    assertEquals(LOW6, both.address(IPVersion.IPv6));
    AttachedHosts.Seen one = hosts(device(new IPv4Address[0], LOW6)).find(MAC).orElseThrow();
    assertNull(one.address(IPVersion.IPv4));
  }
}
