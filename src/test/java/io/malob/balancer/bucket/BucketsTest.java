package io.malob.balancer.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.Bucket.Cause;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import io.malob.testing.Servers;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class BucketsTest {
  private static final int VIP = 7;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int USUAL_SECONDS = 15;
  private static final DatapathId EDGE = DatapathId.of(1);
  private static final Server OLD = Servers.of(1, 1);
  private static final Server NEW = Servers.of(2, 1);

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
  private final Buckets buckets =
      new Buckets(new Buckets.Timeouts(30, 10, 600, 10), any -> true, clock::get);

  private void publish(Bucket bucket, boolean isInForce) {
    buckets.publish(
        VIP,
        EDGE,
        new BucketTable(
            new BucketKey(BucketSource.PORT, 64),
            ImmutableList.copyOf(Collections.nCopies(64, bucket)),
            isInForce));
  }

  private void passMillis(long millis) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static FiveTuple request(int protocol) {
    return FiveTuple.of(protocol, 0x0a000001, 40_000, 0x0a000064, 80);
  }

  private @Nullable Server syn() {
    return buckets.memberOf(VIP, EDGE, request(TCP), true);
  }

  private @Nullable Server later() {
    return buckets.memberOf(VIP, EDGE, request(TCP), false);
  }

  private @Nullable Server datagram() {
    return buckets.memberOf(VIP, EDGE, request(UDP), false);
  }

  @Test
  void memberOf_unknownVipOrSwitch_isNone() {
    assertNull(later());
    publish(new Bucket(OLD, null, Cause.FIRST, 0), true);

    assertNull(buckets.memberOf(VIP + 1, EDGE, request(TCP), false));
    assertNull(buckets.memberOf(VIP, DatapathId.of(2), request(TCP), false));
  }

  @Test
  void memberOf_steadyBucket_isItsMember() {
    publish(new Bucket(OLD, null, Cause.FIRST, 0), true);

    assertEquals(OLD, syn());
    assertEquals(OLD, later());
    assertEquals(OLD, datagram());
  }

  @Test
  void memberOf_movingBucket_isTheMemberBefore_butForSynsAfterASecond() {
    publish(new Bucket(NEW, OLD, Cause.SHARES, clock.get()), true);
    assertEquals(OLD, syn());
    passMillis(999);
    assertEquals(OLD, syn());
    passMillis(1);

    assertEquals(NEW, syn());
    assertEquals(OLD, later());
  }

  /** After its idle timeout, a datagram of an unknown connection begins a new one. */
  @Test
  void memberOf_movingBucketOfUdp_changesAfterTheIdleTimeout() {
    publish(new Bucket(NEW, OLD, Cause.SHARES, clock.get()), true);
    passMillis(9_999);
    assertEquals(OLD, datagram());
    passMillis(1);

    assertEquals(NEW, datagram());
  }

  @Test
  void memberOf_leavingBucket_isTheMemberBefore_andNewConnectionsAreFree() {
    publish(new Bucket(null, OLD, Cause.SHARES, clock.get()), true);
    passMillis(20_000);

    assertEquals(OLD, later());
    assertNull(syn());
    assertNull(datagram());
  }

  @Test
  void memberOf_formerBucket_isOfEstablishedConnectionsOnly() {
    publish(new Bucket(null, OLD, Cause.SHARES, clock.get()), false);
    assertNull(syn());
    passMillis(3_000_000);

    assertEquals(OLD, later());
    assertNull(syn());
    assertNull(datagram());
  }

  @Test
  void awaitsMember_onlyWhileBothMembersAreNotLocated() {
    assertFalse(buckets.awaitsMember(VIP, EDGE, request(TCP)));
    publish(new Bucket(null, null, Cause.SHARES, 0), true);
    assertTrue(buckets.awaitsMember(VIP, EDGE, request(TCP)));
    assertNull(later());
    publish(new Bucket(null, null, Cause.SHARES, 0), false);
    assertFalse(buckets.awaitsMember(VIP, EDGE, request(TCP)));
    publish(new Bucket(null, OLD, Cause.SHARES, 0), true);
    assertFalse(buckets.awaitsMember(VIP, EDGE, request(TCP)));
  }

  @Test
  void connectionOnAnotherMember_isExposed_andItsRulesLiveLonger() {
    publish(new Bucket(NEW, null, Cause.FIRST, 0), true);

    assertTrue(buckets.isExposed(VIP, EDGE, request(TCP), 1));
    assertFalse(buckets.isExposed(VIP, EDGE, request(TCP), 2));
    assertEquals(600, idle(1));
    assertEquals(30, idle(2));
    assertEquals(700, buckets.idleSeconds(VIP, EDGE, request(TCP), 1, 700));

    publish(new Bucket(NEW, null, Cause.FIRST, 0), false);
    assertFalse(buckets.isExposed(VIP, EDGE, request(TCP), 1));
    assertEquals(USUAL_SECONDS, idle(1));
  }

  private int idle(int memberNumber) {
    return buckets.idleSeconds(VIP, EDGE, request(TCP), memberNumber, USUAL_SECONDS);
  }

  @Test
  void forget_leavesNothing() {
    publish(new Bucket(OLD, null, Cause.FIRST, 0), true);
    assertFalse(buckets.isEmpty());
    buckets.forget(VIP, EDGE);

    assertTrue(buckets.isEmpty());
    assertNull(later());
    assertEquals(USUAL_SECONDS, idle(1));
  }

  @Test
  void arrivals_areOfEachVip() {
    buckets.arrived(VIP);
    buckets.arrived(VIP);

    assertEquals(2, buckets.arrivals(VIP));
    assertEquals(0, buckets.arrivals(VIP + 1));
  }

  @Test
  void clients_areLearnedOnce_andFollowedWhenTheyMove() {
    AtomicInteger calls = new AtomicInteger();
    ProactiveClients clients = new ProactiveClients(calls::incrementAndGet);
    Attachment first = new Attachment(EDGE, OFPort.of(1), MacAddress.of(1));
    Attachment second = new Attachment(EDGE, OFPort.of(2), MacAddress.of(1));

    assertTrue(clients.learn(100, 1, first));
    assertTrue(clients.learn(100, 1, first));
    assertEquals(1, calls.get());
    assertTrue(clients.takeChanged());
    assertFalse(clients.takeChanged());

    clients.moved(1, second);
    clients.moved(2, second);
    assertEquals(Map.of(1, second), clients.of(100));
    assertTrue(clients.isKnown(100, 1));
    assertFalse(clients.isKnown(100, 2));
    assertEquals(2, calls.get());

    clients.retain(Set.of(101));
    assertEquals(Map.of(), clients.of(100));
  }

  @Test
  void clientsOfAVip_areLimited() {
    ProactiveClients clients = new ProactiveClients(() -> {});
    Attachment at = new Attachment(EDGE, OFPort.of(1), MacAddress.of(1));
    for (int client = 0; client < ProactiveClients.MAX; client++) {
      assertTrue(clients.learn(100, client, at));
    }

    assertFalse(clients.learn(100, -1, at));
    assertTrue(clients.learn(100, 5, at));
    assertTrue(clients.learn(101, -1, at));
    assertEquals(ProactiveClients.MAX, clients.of(100).size());
  }
}
