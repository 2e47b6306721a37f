package io.malob.balancer.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.algorithm.AddressKey;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

class VipMacTest {
  @Test
  void mac_ofAnIpv4Vip_containsItsAddress() {
    IPv4Address vip = IPv4Address.of("192.0.2.200");
    assertEquals(MacAddress.of("0e:4d:c0:00:02:c8"), VipMac.of(vip));
    assertEquals(VipMac.of(vip), VipMac.of(AddressKey.of(vip)));
  }

  /**
   * Neighbours keep it in their caches while a controller is replaced by one of another version.
   */
  @Test
  void mac_ofAnIpv6Vip_neverChanges_andDependsOnAllOfItsAddress() {
    IPv6Address vip = IPv6Address.of("2001:db8::64");
    assertEquals(MacAddress.of("0e:4e:9b:06:7b:91"), VipMac.of(vip));
    assertEquals(VipMac.of(vip), VipMac.of(AddressKey.of(vip)));
    assertNotEquals(
        VipMac.of(IPv6Address.of("2001:db8:1::64")), VipMac.of(IPv6Address.of("2001:db8:2::64")));
  }
}
