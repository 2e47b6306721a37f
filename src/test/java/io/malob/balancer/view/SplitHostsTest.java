package io.malob.balancer.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import io.malob.balancer.api.SplitHost;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Which hosts have two ports at a time, and which have only moved. */
class SplitHostsTest {
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:51");
  private static final Attachment FIRST = new Attachment(DatapathId.of(1), OFPort.of(3), MAC);
  private static final Attachment SECOND = new Attachment(DatapathId.of(2), OFPort.of(4), MAC);

  private final Set<Attachment> down = new HashSet<>();
  private long nanos;
  private final SplitHosts hosts = new SplitHosts(at -> !down.contains(at), () -> nanos);

  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Alternates between the two ports, so many times each. */
  private void alternate(int times, long apartMillis) {
    for (int i = 0; i < times; i++) {
      hosts.moved(SECOND);
      pass(apartMillis);
      hosts.moved(FIRST);
      pass(apartMillis);
    }
  }

  @Test
  void hostAtTwoPortsInTurns_isSplit() {
    alternate(4, 200);
    assertTrue(hosts.isSplit(MAC));
    assertEquals(List.of(new SplitHost(FIRST, SECOND)), hosts.all());
    hosts.moved(SECOND);
    assertEquals(List.of(new SplitHost(FIRST, SECOND)), hosts.all(), "in the same order");
  }

  @Test
  void hostThatMovesThereAndBack_isNot() {
    alternate(2, 200);
    assertFalse(hosts.isSplit(MAC));
  }

  @Test
  void packetsInFlightDuringAMove_areOneTurn() {
    alternate(20, 2);
    assertFalse(hosts.isSplit(MAC));
  }

  @Test
  void movesFarApart_areNoTurns() {
    alternate(20, 6_000);
    assertFalse(hosts.isSplit(MAC));
  }

  @Test
  void hostThatLeavesAPortThatIsDown_hasMoved() {
    for (int i = 0; i < 10; i++) {
      down.clear();
      down.add(i % 2 == 0 ? FIRST : SECOND);
      hosts.moved(i % 2 == 0 ? SECOND : FIRST);
      pass(200);
    }
    assertFalse(hosts.isSplit(MAC));
  }

  @Test
  void sameHostOnTwoVlansOfAPort_isAtOnePort() {
    for (int i = 0; i < 20; i++) {
      hosts.moved(new Attachment(FIRST.switchId(), FIRST.port(), MAC, i % 2));
      pass(200);
    }
    assertFalse(hosts.isSplit(MAC));
  }

  @Test
  void splitHostThatStays_isForgottenAfterAMinute() {
    alternate(4, 200);
    pass(60_001);
    assertFalse(hosts.isSplit(MAC));
    assertEquals(List.of(), hosts.all());
  }

  @Test
  void manyAddresses_areNotAllFollowed() {
    for (int i = 0; i < 10_000; i++) {
      hosts.moved(new Attachment(FIRST.switchId(), FIRST.port(), MacAddress.of(i + 1)));
    }
    alternate(4, 200);
    assertFalse(hosts.isSplit(MAC), "full");
    pass(10_001);
    hosts.tick();
    alternate(4, 200);
    assertTrue(hosts.isSplit(MAC));
  }
}
