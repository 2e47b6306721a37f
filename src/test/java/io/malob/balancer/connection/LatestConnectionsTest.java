package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.testing.Servers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class LatestConnectionsTest {
  private static final int SLOTS = 16_384;

  private static final int VIP = 5;
  private static final DatapathId CLIENTS = DatapathId.of(77);
  private static final Server SERVER = Servers.equal(2).get(1);

  private final LatestConnections latest = new LatestConnections();

  private static Connection connection(int generation) {
    return new Connection(
        FiveTuple.of(6, 1, 40_000, 2, 80),
        VIP,
        Algorithm.DEFAULT,
        SERVER,
        new Attachment(CLIENTS, OFPort.of(1), MacAddress.of(1)),
        generation,
        0);
  }

  private @Nullable Connection find(int generation) {
    return find(CLIENTS, CookieKind.REQUEST, VIP, SERVER.number(), generation);
  }

  private @Nullable Connection find(
      DatapathId at, CookieKind kind, int vipNumber, int memberNumber, int generation) {
    return latest.find(at, Cookie.of(kind, vipNumber, memberNumber, generation));
  }

  @Test
  void find_ofARepeatedGeneration_isOfTheSameVipMemberAndSwitch() {
    latest.add(connection(7));
    DatapathId atMember = SERVER.at().switchId();

    assertNotNull(find(CLIENTS, CookieKind.REQUEST, VIP, SERVER.number(), 7));
    assertNotNull(find(atMember, CookieKind.REPLY, VIP, SERVER.number(), 7));
    assertNull(find(CLIENTS, CookieKind.REQUEST, VIP + 1, SERVER.number(), 7));
    assertNull(find(CLIENTS, CookieKind.REQUEST, VIP, SERVER.number() + 1, 7));
    assertNull(find(atMember, CookieKind.REQUEST, VIP, SERVER.number(), 7));
    assertNull(find(CLIENTS, CookieKind.REPLY, VIP, SERVER.number(), 7));
  }

  @Test
  void find_ofTheGenerationInItsSlot_givesTheConnection() {
    Connection connection = connection(7);
    latest.add(connection);

    assertSame(connection, find(7));
    assertNull(find(7 + SLOTS), "of another generation in the same slot");
  }

  @Test
  void remove_ofAForgottenConnection_letsGoOfIt() {
    Connection connection = connection(7);
    latest.add(connection);

    latest.remove(connection);

    assertNull(find(7));
  }

  @Test
  void remove_ofAConnectionWhoseSlotIsTaken_leavesTheLaterOne() {
    Connection earlier = connection(7);
    Connection later = connection(7 + SLOTS);
    latest.add(earlier);
    latest.add(later);

    latest.remove(earlier);

    assertSame(later, find(7 + SLOTS));
  }
}
