package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.simulation.model.LabNetwork.Host;
import io.malob.simulation.model.LabNetwork.LinkLimits;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class LabNetworkTest {
  private static LinkLimits between(LabNetwork network, long src, long dst) {
    List<DirectedLink> links =
        network.topology().linksBetween(DatapathId.of(src), DatapathId.of(dst));
    assertEquals(1, links.size());
    return network.limits(links.get(0));
  }

  @Test
  void thesisNetwork_isTheOneOfTheLab() throws IOException {
    LabNetwork network = LabNetwork.named("geni-wan").orElseThrow();
    assertEquals(9, network.topology().switches().size());
    assertEquals(28, network.topology().links().size());
    assertEquals(
        List.of("client-1", "client-2", "client-3", "client-4"),
        network.clients().stream().map(Host::name).toList());
    assertEquals(
        List.of("server-1", "server-2", "server-3"),
        network.servers().stream().map(Host::name).toList());
    // Table 4.3: Client-1 to Server-3, 12.1 and 23.9 Mbit/s, 36 ms
    assertEquals(new LinkLimits(12.1e6, 36_000_000), between(network, 0x101, 0x203));
    assertEquals(new LinkLimits(23.9e6, 36_000_000), between(network, 0x203, 0x101));
  }

  @Test
  void oneValue_isForBothDirections() {
    LabNetwork network = Labs.twoServers();
    assertEquals(new LinkLimits(50e6, 10_000_000), between(network, 1, 3));
    assertEquals(new LinkLimits(50e6, 10_000_000), between(network, 3, 1));
  }

  @Test
  void ports_areDifferentOnEachSwitch() {
    assertEquals(
        2,
        Labs.twoServers().topology().linksFrom(DatapathId.of(1)).stream()
            .map(DirectedLink::srcPort)
            .distinct()
            .count());
  }

  @Test
  void scale_multipliesRatesAlone() {
    LabNetwork network = Labs.twoServers().scaled(0.1);
    assertEquals(new LinkLimits(2e6, 5_000_000), between(network, 1, 2));
    assertEquals(new LinkLimits(4e6, 5_000_000), between(network, 2, 1));
  }

  @Test
  void unknownNetwork_isEmpty() throws IOException {
    assertEquals(Optional.empty(), LabNetwork.named("nowhere"));
  }

  @Test
  void linkWithoutDelay_hasNone() {
    LabNetwork network =
        Labs.of(
            """
            {"switches": {"a": "00:01", "b": "00:02"}, "hosts": {},
             "links": [{"ends": ["a", "b"], "rate_mbps": 5}]}
            """);
    assertEquals(new LinkLimits(5e6, 0), between(network, 1, 2));
  }

  @Test
  void linkWithoutRate_isNamed() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                Labs.of(
                    """
                    {"switches": {"a": "00:01", "b": "00:02"}, "hosts": {},
                     "links": [{"ends": ["a", "b"], "delay_ms": 1}]}
                    """));
    assertEquals("the link [\"a\",\"b\"] has no rate_mbps", refused.getMessage());
  }

  @Test
  void unknownSwitch_isNamed() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                Labs.of(
                    """
                    {"switches": {"a": "00:01"}, "hosts": {},
                     "links": [{"ends": ["a", "b"], "rate_mbps": 1, "delay_ms": 1}]}
                    """));
    assertEquals("there is no switch \"b\"", refused.getMessage());
  }
}
