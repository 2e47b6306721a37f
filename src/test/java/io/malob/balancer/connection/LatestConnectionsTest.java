package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.testing.Servers;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class LatestConnectionsTest {
  private static final int SLOTS = 16_384;

  private final LatestConnections latest = new LatestConnections();

  private static Connection connection(int generation) {
    return new Connection(
        FiveTuple.of(6, 1, 40_000, 2, 80),
        1,
        Algorithm.DEFAULT,
        Servers.equal(1).get(0),
        new Attachment(DatapathId.of(1), OFPort.of(1), MacAddress.of(1)),
        generation,
        0);
  }

  @Test
  void find_ofTheGenerationInItsSlot_givesTheConnection() {
    Connection connection = connection(7);
    latest.add(connection);

    assertSame(connection, latest.find(7));
    assertNull(latest.find(7 + SLOTS), "of another generation in the same slot");
  }

  @Test
  void remove_ofAForgottenConnection_letsGoOfIt() {
    Connection connection = connection(7);
    latest.add(connection);

    latest.remove(connection);

    assertNull(latest.find(7));
  }

  @Test
  void remove_ofAConnectionWhoseSlotIsTaken_leavesTheLaterOne() {
    Connection earlier = connection(7);
    Connection later = connection(7 + SLOTS);
    latest.add(earlier);
    latest.add(later);

    latest.remove(earlier);

    assertSame(later, latest.find(7 + SLOTS));
  }
}
