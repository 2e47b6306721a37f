package io.malob.state.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

class RoutersTest {
  private static final MacAddress ONE = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress TWO = MacAddress.of("02:00:00:00:00:02");
  private static final IPAddress<?> ADDRESS = IPAddress.of("2001:db8::1");

  @Test
  void none_meansAny() {
    Routers any = Routers.parse(" ").orElseThrow();
    assertEquals(Routers.ANY, any);
    assertTrue(any.allow(ONE, address -> Optional.empty()));
  }

  @Test
  void routers_areNamedByMacOrAddress() {
    Routers two = Routers.parse("02:00:00:00:00:01, 2001:db8::1").orElseThrow();
    assertTrue(two.allow(ONE, address -> Optional.empty()));
    assertFalse(two.allow(TWO, address -> Optional.empty()));
    assertTrue(
        two.allow(TWO, address -> address.equals(ADDRESS) ? Optional.of(TWO) : Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0", "10.0.0.1,", "02:00:00:00:00", "127.0.0.1", "224.0.0.1", "gw"})
  void otherTexts_areNotValid(String text) {
    assertEquals(Optional.empty(), Routers.parse(text));
  }

  @Test
  void tooMany_areNotValid() {
    assertTrue(Routers.parse("10.0.0.1" + ",10.0.0.1".repeat(255)).isPresent());
    assertFalse(Routers.parse("10.0.0.1" + ",10.0.0.1".repeat(256)).isPresent());
  }

  @Test
  void hosts_areNamedByMacOrAnyAddress() {
    Routers routers = Routers.parse("10.0.0.1, 00:00:5e:00:01:01").orElseThrow();
    IPAddress<?> named = IPAddress.of("10.0.0.1");
    IPAddress<?> other = IPAddress.of("10.0.0.2");

    assertTrue(routers.names(MacAddress.of(7), List.of(other, named)));
    assertTrue(routers.names(MacAddress.of("00:00:5e:00:01:01"), List.of()));
    assertFalse(routers.names(MacAddress.of(7), List.of(other)));
    assertFalse(Routers.ANY.names(MacAddress.of(7), List.of(named)));
  }
}
