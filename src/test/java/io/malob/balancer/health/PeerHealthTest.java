package io.malob.balancer.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.health.Health;
import io.malob.balancer.connection.Connection;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.testing.Stub;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** What the controllers of a cluster tell each other of the health of members. */
class PeerHealthTest {
  private static final DatapathId SWITCH = DatapathId.of(9);
  private static final FiveTuple REQUEST = FiveTuple.of(6, 0x0a000001, 65_535, 0x0a000064, 443);

  private final List<byte[]> sent = new ArrayList<>();
  private final OutlierDetector outliers = mock(OutlierDetector.class);
  private final PeerHealth health =
      new PeerHealth(
          Stub.of(IPeerService.class).on("send", with -> sent.add((byte[]) with[2])).make(),
          Stub.of(IClusterService.class).on("masterOf", with -> Optional.of("b")).make(),
          id -> true,
          outliers);

  private static Connection connection() {
    Server server = mock(Server.class);
    when(server.number()).thenReturn(300);
    when(server.at()).thenReturn(new Attachment(SWITCH, OFPort.of(1), MacAddress.of(2)));
    Connection connection = mock(Connection.class);
    when(connection.request()).thenReturn(REQUEST);
    when(connection.server()).thenReturn(server);
    return connection;
  }

  private void receive(String name) {
    health.received("b", ByteBuffer.wrap(WireBytes.read(name)));
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    ImmutableMap<Integer, PeerHealth.PeerEjection> ejections =
        ImmutableMap.of(
            300, new PeerHealth.PeerEjection(Ejections.Why.REFUSES, 3, 4_000_000_000L),
            2, new PeerHealth.PeerEjection(Ejections.Why.NO_REPLY, 1, 5));
    when(outliers.ejections()).thenReturn(ejections);
    health.reached("b");
    health.publish(ImmutableMap.of(1, Health.UP, 65_535, Health.DOWN));
    health.publishToNewPeers();
    WireBytes.check("health-all", sent.get(0));
    WireBytes.check("health-ejections", sent.get(1));
    health.publish(ImmutableMap.of(1, Health.CHECKING, 2, Health.UP));
    WireBytes.check("health-changes", sent.get(2));
    health.publishEjections(ejections);
    WireBytes.check("health-ejections", sent.get(3));
    assertTrue(health.askMaster(connection()));
    WireBytes.check("health-suspicion", sent.get(4));
    health.publishAnswer(connection(), 12_345_678_901L);
    WireBytes.check("health-answered", sent.get(5));
  }

  @Test
  void messages_areUnderstood() {
    receive("health-all");
    assertEquals(Health.UP, health.verdict(SWITCH, 1));
    assertEquals(Health.DOWN, health.verdict(null, 65_535));
    assertEquals(Set.of(1, 65_535), health.takeNews());
    receive("health-changes");
    assertEquals(Health.CHECKING, health.verdict(SWITCH, 1));
    assertEquals(Health.UP, health.verdict(SWITCH, 2));
    assertNull(health.verdict(SWITCH, 65_535));
    receive("health-all");
    assertNull(health.verdict(SWITCH, 2));
    receive("health-ejections");
    verify(outliers)
        .ejectedElsewhere(
            ImmutableMap.of(
                300, new PeerHealth.PeerEjection(Ejections.Why.REFUSES, 3, 4_000_000_000L),
                2, new PeerHealth.PeerEjection(Ejections.Why.NO_REPLY, 1, 5)));
    receive("health-suspicion");
    verify(outliers).suspected(REQUEST);
    receive("health-answered");
    verify(outliers).answeredElsewhere(300, 12_345_678_901L);
  }

  @Test
  void messagesOfALaterRelease_haveNoEffect() {
    health.received("b", ByteBuffer.wrap(new byte[] {99, 1, 2, 3}));
    health.received("b", ByteBuffer.wrap(new byte[0]));
    assertEquals(Set.of(), health.takeNews());
    verify(outliers, never()).suspected(any());
    verify(outliers, never()).answeredElsewhere(anyInt(), anyLong());
  }
}
