package io.malob.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.bench.load.StarScenario.Host;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StarScenarioTest {
  private final StarScenario star = new StarScenario(5, 2, 3, 10);

  @Test
  void linkEnds_leadToEachOther() {
    int directed = 0;
    for (int sw = 0; sw < star.switches(); sw++) {
      for (int port : star.ports(sw)) {
        int[] to = star.otherEnd(sw, port);
        if (to != null) {
          assertArrayEquals(new int[] {sw, port}, star.otherEnd(to[0], to[1]));
          directed++;
        }
      }
    }
    assertEquals(star.links(), directed);
  }

  @Test
  void hosts_haveAddressesAndPortsOfTheirOwn() {
    Set<Integer> addresses = new HashSet<>();
    Set<List<Integer>> places = new HashSet<>();
    for (Host host : star.hosts()) {
      addresses.add(host.address());
      places.add(List.of(host.sw(), host.port()));
      assertTrue(star.ports(host.sw()).contains(host.port()), host.toString());
    }
    assertEquals(20, addresses.size());
    assertEquals(20, places.size());
  }

  @Test
  void members_areSpreadOverTheirEdges() {
    assertEquals(List.of(6, 7, 8), star.memberSwitches());
    assertEquals(List.of(4, 3, 3), star.memberSwitches().stream().map(star::membersAt).toList());
  }

  @Test
  void sizeOutOfBounds_isNamed() {
    IllegalArgumentException wrong =
        assertThrows(IllegalArgumentException.class, () -> new StarScenario(5, 2, 0, 10));
    assertEquals("--member-edges must be from 1 to 10000, not 0", wrong.getMessage());
  }
}
