package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.Bucket;
import io.malob.balancer.bucket.BucketTable;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import io.malob.testing.KnownDefect;
import io.malob.testing.Servers;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** A VIP becomes proactive; all buckets lead to another member than that of its connections. */
class PinsTest {
  private static final int VIP = 7;
  private static final DatapathId EDGE = DatapathId.of(1);
  private static final Attachment CLIENT =
      new Attachment(EDGE, OFPort.of(1), MacAddress.of("02:00:00:00:00:01"));
  private static final Server BEFORE = Servers.of(1, 1);
  private static final Server AFTER = Servers.of(2, 1);

  private final ConnectionTable connections =
      new ConnectionTable(500_000, 100_000, TimeUnit.HOURS.toNanos(1), () -> 0, connection -> {});
  private final Buckets buckets =
      new Buckets(new Buckets.Timeouts(30, 10, 600, 10), any -> true, () -> 0);
  private final Set<FiveTuple> pinned = new HashSet<>();
  private final Pins pins =
      new Pins(
          buckets, connections, connection -> pinned.add(connection.request()), connection -> {});

  @BeforeEach
  void leadToTheOther() {
    Bucket bucket = new Bucket(AFTER, null, Bucket.Cause.FIRST, 0);
    buckets.publish(
        VIP,
        EDGE,
        new BucketTable(
            new BucketKey(BucketSource.PORT, 64),
            ImmutableList.copyOf(Collections.nCopies(64, bucket)),
            true));
  }

  private Connection asleep(int client, int port) {
    Connection connection =
        new Connection(
            FiveTuple.of(6, client, port, 0x0a000064, 80),
            VIP,
            Algorithm.DEFAULT,
            BEFORE,
            CLIENT,
            port,
            0);
    assertEquals(ConnectionTable.Admission.ADDED, connections.add(connection));
    assertTrue(connections.expire(connection).happened());
    return connection;
  }

  private void sleepers(int number) {
    for (int index = 0; index < number; index++) {
      asleep(0x0a000001 + index / 50_000, 10_000 + index % 50_000);
    }
  }

  @Test
  void dormantConnections_arePinned() {
    sleepers(100);
    pins.pinExposed(VIP, EDGE);
    assertEquals(100, pinned.size());
  }

  @Test
  void connectionThatItsClientHasEnded_isNotPinned() {
    connections.end(asleep(1, 1), 0);
    pins.pinExposed(VIP, EDGE);
    assertEquals(Set.of(), pinned);
  }

  @Test
  @KnownDefect(
      "When a VIP becomes proactive, only 10,000 of its dormant connections at an edge are pinned;"
          + " the others reach the wrong member and are reset.")
  void allDormantConnections_arePinned() {
    sleepers(12_000);
    pins.pinExposed(VIP, EDGE);
    assertEquals(12_000, pinned.size());
  }

  @Test
  @KnownDefect(
      "When a VIP becomes proactive, the rules of thousands of connections are sent at once.")
  void pins_arePaced() {
    sleepers(5_000);
    pins.pinExposed(VIP, EDGE);
    assertTrue(pinned.size() <= 1_000, () -> pinned.size() + " in one step");
  }
}
