package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrdinaryConnectionsTest {
  private static final int MEMBER = 10 << 24 | 11;
  private static final int CLIENT = 10 << 24 | 1;
  private static final int VIP = 10 << 24 | 100;
  private static final FiveTuple REPLY = FiveTuple.of(6, MEMBER, 8_080, CLIENT, 40_000);
  private static final FiveTuple REQUEST = FiveTuple.of(6, CLIENT, 40_000, VIP, 80);

  private long nanos;
  private final OrdinaryConnections all = new OrdinaryConnections(() -> nanos);

  private void passSeconds(long seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void connection_isKnownForAnHourAfterItsLastPacket() {
    all.seen(REPLY);
    passSeconds(3_000);
    assertTrue(all.contains(REPLY));
    passSeconds(3_000);
    assertTrue(all.contains(REPLY));
    passSeconds(3_601);

    assertFalse(all.contains(REPLY));
  }

  @Test
  void number_isBounded() {
    List<FiveTuple> many =
        IntStream.range(0, 100_000)
            .mapToObj(each -> FiveTuple.of(6, MEMBER, 8_080, CLIENT + each, 40_000))
            .toList();
    many.forEach(all::seen);

    assertTrue(many.stream().filter(all::contains).count() <= 1 << 16);
    assertTrue(all.contains(many.get(many.size() - 1)));
  }

  @Test
  void connectionThatItsClientDenies_isOrdinary_ifItWasAskedInTime() {
    all.ask(REQUEST, REPLY, 1, 7);
    all.denied(REQUEST);
    assertTrue(all.contains(REPLY));
    assertNull(all.memberOf(REQUEST, 1), "it is not the VIP's");

    FiveTuple other = FiveTuple.of(6, MEMBER, 8_080, CLIENT, 40_002);
    FiveTuple request = FiveTuple.of(6, CLIENT, 40_002, VIP, 80);
    all.ask(request, other, 1, 7);
    passSeconds(31);
    all.denied(request);
    assertFalse(all.contains(other));
  }

  @Test
  void connectionThatItsClientAnswers_isOfTheMemberOfThatVipOnly() {
    all.ask(REQUEST, REPLY, 1, 7);

    assertEquals(7, all.memberOf(REQUEST, 1));
    assertNull(all.memberOf(REQUEST, 2), "another VIP has its address by now");
  }

  @Test
  void newConnections_arePublishedOnce_andThoseOfOthersNever() {
    List<FiveTuple> published = new ArrayList<>();
    all.publishNewTo(published::add);
    all.seen(REPLY);
    all.seen(REPLY);
    all.learn(REPLY.reversed());
    all.seen(FiveTuple.of(6, MEMBER, 8_080, AddressKey.NONE, 40_000)); // of no use

    assertEquals(List.of(REPLY), published);
  }

  @Test
  void addressesInUse_keepTheirKeys() {
    List<Integer> keys = new ArrayList<>();
    all.seen(REPLY);
    all.ask(REQUEST, REPLY, 1, 7);
    all.addressKeys(keys::add);

    assertTrue(keys.containsAll(List.of(MEMBER, CLIENT, VIP)));
  }
}
