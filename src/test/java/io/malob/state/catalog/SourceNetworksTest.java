package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv4AddressWithMask;

class SourceNetworksTest {
  private static SourceNetworks networks(String text) throws RejectedException {
    return SourceNetworks.parse("allowed_sources", text);
  }

  private static boolean contains(SourceNetworks networks, String address) {
    return networks.contains(IPv4Address.of(address).getInt());
  }

  @Test
  void network_hasItsFirstAndLastAddress_andNoOther() throws Exception {
    SourceNetworks networks = networks("10.0.0.0/8, 192.168.7.4/30 ,200.1.2.3");
    for (String in :
        List.of("10.0.0.0", "10.255.255.255", "192.168.7.4", "192.168.7.7", "200.1.2.3")) {
      assertTrue(contains(networks, in), in);
    }
    for (String out :
        List.of(
            "9.255.255.255", "11.0.0.0", "192.168.7.3", "192.168.7.8", "200.1.2.2", "200.1.2.4")) {
      assertFalse(contains(networks, out), out);
    }
    assertEquals(List.of("10.0.0.0/8", "192.168.7.4/30", "200.1.2.3/32"), networks.texts());
  }

  @Test
  void networkOfLengthZero_hasEverything() throws Exception {
    assertTrue(contains(networks("0.0.0.0/0"), "255.255.255.255"));
    assertTrue(contains(networks("0.0.0.0/0"), "0.0.0.0"));
  }

  @Test
  void networksOfIpv6_haveTheirFirstAndLastAddress_andNoOther() throws Exception {
    SourceNetworks networks =
        networks("2001:DB8:0::/32, fd00:0:0:1::/64, fd00:0:0:2::8/125, fd00:0:0:3::1");
    for (String in :
        List.of(
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "fd00:0:0:1::",
            "fd00:0:0:1:ffff:ffff:ffff:ffff",
            "fd00:0:0:2::8",
            "fd00:0:0:2::f",
            "fd00:0:0:3::1")) {
      assertTrue(networks.contains(AddressKey.of(IPAddress.of(in))), in);
    }
    for (String out :
        List.of(
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::",
            "fd00:0:0:0:ffff:ffff:ffff:ffff",
            "fd00:0:0:2::7",
            "fd00:0:0:2::10",
            "fd00:0:0:3::",
            "fd00:0:0:3::2",
            "32.1.13.184")) {
      assertFalse(networks.contains(AddressKey.of(IPAddress.of(out))), out);
    }
    assertEquals(
        List.of("2001:db8::/32", "fd00:0:0:1::/64", "fd00:0:0:2::8/125", "fd00:0:0:3::1/128"),
        networks.texts());
  }

  @Test
  void allNetworks_areOfOneFamilyEach() throws Exception {
    int ipv6 = AddressKey.of(IPAddress.of("2001:db8::1"));
    assertFalse(networks("0.0.0.0/0").contains(ipv6));
    assertTrue(networks("::/0").contains(ipv6));
    assertFalse(contains(networks("::/0"), "10.0.0.1"));
  }

  @Test
  void containing_isAsOneByOneSays_forNetworksWithinEachOther() throws Exception {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      List<IPv4AddressWithMask> all = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(12); i++) {
        int length = 1 + random.nextInt(32);
        IPv4Address any = IPv4Address.of(random.nextInt() & 0xe00f00ff);
        all.add(any.withMaskOfLength(length));
      }
      SourceNetworks networks =
          networks(
              all.stream()
                  .map(net -> net.getValue() + "/" + net.getMask().asCidrMaskLength())
                  .collect(Collectors.joining(",")));
      for (int i = 0; i < 500; i++) {
        IPv4Address address = IPv4Address.of(random.nextInt() & 0xe00f00ff);
        boolean expected = all.stream().anyMatch(net -> net.contains(address));
        assertEquals(expected, networks.contains(address.getInt()), () -> all + " " + address);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.1/8",
        "10.0.0.0/33",
        "10.0.0/8",
        "300.0.0.0/8",
        "10.0.0.0/",
        "everybody",
        "10.0.0.0/8,",
        ",10.0.0.0/8",
        "2001:db8::1/32",
        "2001:db8::/129",
        "2001:db8::/032",
        "10.0.0.0/8,2001:db8::/32",
        "::ffff:10.0.0.0/104",
        "010.0.0.0/8",
        "10.0.0.0/08"
      })
  void whatIsNoNetwork_isRefusedWithTheField(String text) {
    RejectedException e = assertThrows(RejectedException.class, () -> networks(text));
    assertEquals("allowed_sources", e.field().orElseThrow());
    assertTrue(e.getMessage().startsWith("allowed_sources"), e.getMessage());
  }

  @Test
  void moreNetworksThanThereCanBe_areRefused() throws Exception {
    String max =
        IntStream.range(0, SourceNetworks.MAX)
            .mapToObj(i -> "10.0." + i + ".0/24")
            .collect(Collectors.joining(","));
    assertEquals(SourceNetworks.MAX, networks(max).texts().size());
    assertThrows(RejectedException.class, () -> networks(max + ",11.0.0.0/8"));
  }

  private static List<String> others(String text) throws RejectedException {
    return networks(text).others(1_000).orElseThrow().stream().map(Object::toString).toList();
  }

  @Test
  void others_areTheFewestNetworksOfAllOtherAddresses() throws Exception {
    assertEquals(List.of("128.0.0.0/1"), others("0.0.0.0/1"));
    assertEquals(List.of(), others("0.0.0.0/0"));
    assertEquals("240.0.0.0/4", others("224.0.0.0/4").get(3));
    assertEquals(List.of(), others("0.0.0.0/1,128.0.0.0/1"));
    assertEquals(
        List.of(
            "0.0.0.0/5",
            "8.0.0.0/7",
            "11.0.0.0/8",
            "12.0.0.0/6",
            "16.0.0.0/4",
            "32.0.0.0/3",
            "64.0.0.0/2",
            "128.0.0.0/1"),
        others("10.0.0.0/8,10.1.0.0/16"));
    assertEquals(128, others("2001:db8::1").size());
    assertEquals("8000::/1", others("2001:db8::1").get(127));
  }

  @Test
  void othersThatAreTooMany_areNone() throws Exception {
    assertEquals(32, networks("10.0.0.1").others(32).orElseThrow().size());
    assertTrue(networks("10.0.0.1").others(31).isEmpty());
  }

  @Test
  void eachAddress_isInTheNetworksOrInOneOfTheOthers() throws Exception {
    Random random = new Random(1);
    for (int run = 0; run < 20; run++) {
      String text =
          IntStream.range(0, 1 + random.nextInt(5))
              .mapToObj(any -> 1 + random.nextInt(32))
              .map(
                  length ->
                      IPv4Address.of(random.nextInt())
                              .applyMask(IPv4Address.ofCidrMaskLength(length))
                          + "/"
                          + length)
              .collect(Collectors.joining(","));
      SourceNetworks networks = networks(text);
      List<IPAddressWithMask<?>> others = networks.others(1_000).orElseThrow();
      for (int i = 0; i < 200; i++) {
        IPv4Address address = IPv4Address.of(random.nextInt());
        long in =
            others.stream().filter(each -> ((IPv4AddressWithMask) each).contains(address)).count();
        assertEquals(networks.contains(address.getInt()) ? 0 : 1, in, () -> text + " " + address);
      }
    }
  }
}
