package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class DetoursTest {
  @Test
  void oneWay_isNoDetour() {
    assertEquals(new Detours(2, 0), Detours.of(Labs.twoServers()));
  }

  /**
   * To the client: 10 Mbit/s directly, 20 over "via"; from the client it is the other way round.
   */
  @Test
  void widerWay_towardsTheClient_counts() {
    LabNetwork network =
        Labs.of(
            """
            {"switches": {"client": "00:01", "server": "00:02", "via": "00:03"},
             "hosts": {
               "c": {"switch": "client", "ip": "10.0.0.1/24", "role": "client"},
               "s": {"switch": "server", "ip": "10.0.0.11/24", "role": "server"}},
             "links": [
               {"ends": ["server", "client"], "rate_mbps": [10, 90], "delay_ms": 5},
               {"ends": ["server", "via"], "rate_mbps": [20, 5], "delay_ms": 5},
               {"ends": ["via", "client"], "rate_mbps": [20, 5], "delay_ms": 5}]}
            """);
    assertEquals(new Detours(1, 1), Detours.of(network));
  }

  /** Client-1 from server-3 (23.9 or 39.9 Mbit/s), client-2 from server-3 (53.0 or 57.0). */
  @Test
  void thesisNetwork_hasTwo() throws IOException {
    assertEquals(new Detours(12, 2), Detours.of(LabNetwork.named("geni-wan").orElseThrow()));
  }
}
