package io.malob.state.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;

class SelfAddressesTest {
  private static SelfAddresses parsed(String text) {
    return SelfAddresses.parse(text).orElseThrow();
  }

  private static Optional<String> besides(SelfAddresses addresses, String neighbour) {
    return addresses.inSubnetOf(IPAddress.of(neighbour)).map(own -> own.address().toString());
  }

  @Test
  void text_hasAddressesOfBothFamilies_withVlans() {
    SelfAddresses parsed = parsed("10.0.0.200/24, 10.1.0.200/16@100,2001:db8::200/64");
    assertEquals(
        Set.of("10.0.0.200", "10.1.0.200", "2001:db8::200"),
        parsed.all().stream().map(IPAddress::toString).collect(Collectors.toSet()));
    assertTrue(parsed.contains(IPAddress.of("10.1.0.200"), 100));
    assertFalse(parsed.contains(IPAddress.of("10.1.0.200"), 0));
    assertTrue(parsed.contains(IPAddress.of("10.1.0.200")));
    assertTrue(parsed.contains(IPAddress.of("10.0.0.200"), 0));
    assertFalse(parsed.contains(IPAddress.of("10.0.0.201")));
    assertTrue(parsed(" ").all().isEmpty());
  }

  @Test
  void source_isThatOfTheSubnet_byTheLongestPrefix() {
    SelfAddresses addresses = parsed("10.0.0.200/8, 10.0.1.200/24, 2001:db8::200/64");
    assertEquals(Optional.of("10.0.1.200"), besides(addresses, "10.0.1.7"));
    assertEquals(Optional.of("10.0.0.200"), besides(addresses, "10.0.2.7"));
    assertEquals(Optional.of("2001:db8::200"), besides(addresses, "2001:db8::7"));
    assertEquals(Optional.empty(), besides(addresses, "2001:db8:1::7"));
    assertEquals(Optional.empty(), besides(addresses, "192.0.2.7"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.200",
        "10.0.0.200/0",
        "10.0.0.200/33",
        "2001:db8::200/129",
        "10.0.0.200/24@0",
        "10.0.0.200/24@4095",
        "10.0.0.200/24@",
        "10.0.0.200/24,",
        "10.0.0.200/24,10.0.0.200/16",
        "10.0.0/24",
        "224.0.0.1/24",
        "127.0.0.1/8",
        "169.254.0.1/16",
        "fe80::1/64",
        "0.0.0.0/8",
        "255.255.255.255/32",
        "router/24"
      })
  void text_thatIsNotValid_isRejected(String text) {
    assertEquals(Optional.empty(), SelfAddresses.parse(text));
  }

  @Test
  void text_withTooManyAddresses_isRejected() {
    String most =
        IntStream.range(0, SelfAddresses.MAX)
            .mapToObj(i -> "10.0." + i + ".1/24")
            .collect(Collectors.joining(","));
    assertEquals(SelfAddresses.MAX, parsed(most).all().size());
    assertEquals(Optional.empty(), SelfAddresses.parse(most + ",10.1.0.1/24"));
  }
}
