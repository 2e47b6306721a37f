package io.malob.balancer.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.bucket.Bucket.Cause;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import io.malob.testing.Servers;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

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

  private List<Integer> ofAllEdges(long likely) {
    return buckets.membersOf(VIP, DatapathId.of(likely), request(TCP)).stream()
        .map(Server::number)
        .toList();
  }

  private void publishAt(long edge, @Nullable Server member) {
    buckets.publish(
        VIP,
        DatapathId.of(edge),
        new BucketTable(
            new BucketKey(BucketSource.PORT, 64),
            ImmutableList.copyOf(Collections.nCopies(64, new Bucket(member, null, Cause.FIRST, 0))),
            true));
  }

  @Test
  void membersOf_areThoseOfAllEdges_eachOnce_likelyOnesFirst() {
    assertEquals(List.of(), ofAllEdges(1));
    publishAt(1, OLD);
    publishAt(2, NEW);
    publishAt(3, OLD);
    publishAt(4, null);

    assertEquals(List.of(1, 2), ofAllEdges(1));
    assertEquals(List.of(2, 1), ofAllEdges(2));
    assertEquals(List.of(1, 2), ofAllEdges(9));

    buckets.forget(VIP, DatapathId.of(2));
    assertEquals(List.of(1), ofAllEdges(2));
  }

  @Test
  void membersOf_manyEdges_areThoseOfSome() {
    for (int edge = 1; edge <= 100; edge++) {
      publishAt(edge, Servers.of(edge, 1));
    }

    assertEquals(8, ofAllEdges(1).size());
    assertEquals(77, ofAllEdges(77).get(0));
  }

  @Test
  void memberElsewhere_isThatOfTheOtherEdges_ifTheyAgree() {
    assertNull(elsewhere(2));
    publishAt(1, OLD);
    publishAt(3, OLD);
    publishAt(4, null);
    assertEquals(OLD, elsewhere(2));
    assertNull(elsewhere(1));
    assertNull(elsewhere(4));

    publishAt(5, NEW);
    assertNull(elsewhere(2));
  }

  private @Nullable Server elsewhere(long edge) {
    return buckets.memberElsewhere(VIP, DatapathId.of(edge), request(TCP));
  }

  @Test
  void arePlacing_onlyWhileATableIsInForce() {
    assertFalse(buckets.hasTables(VIP));
    publish(new Bucket(OLD, null, Cause.FIRST, 0), true);
    assertTrue(buckets.hasTables(VIP));
    assertTrue(buckets.arePlacing(VIP));

    publish(new Bucket(OLD, null, Cause.FIRST, 0), false);
    assertTrue(buckets.hasTables(VIP));
    assertFalse(buckets.arePlacing(VIP));

    buckets.forget(VIP, EDGE);
    assertFalse(buckets.hasTables(VIP));
  }
}
