package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Held against a map, and while several threads change it. */
class ConnectionIndexTest {
  private static final Server SERVER = Servers.of(1, 1);
  private static final Attachment AT_CLIENT =
      new Attachment(DatapathId.of(1), OFPort.of(1), MacAddress.of(1));

  private static Connection connection(int client) {
    FiveTuple request = FiveTuple.of(6, client, client & 0xffff, 7, 80);
    return new Connection(request, 1, Algorithm.DEFAULT, SERVER, AT_CLIENT, 1, 0);
  }

  private static FiveTuple key(boolean isReply, Connection connection) {
    return isReply ? connection.reply() : connection.request();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void randomChanges_leaveWhatAMapHolds(boolean isReply) {
    Random random = new Random(11);
    ConnectionIndex index = new ConnectionIndex(isReply);
    Map<FiveTuple, Connection> model = new HashMap<>();
    for (int step = 0; step < 200_000; step++) {
      Connection one = connection(random.nextInt(20_000));
      FiveTuple key = key(isReply, one);
      if (random.nextInt(5) < 3) {
        assertSame(model.putIfAbsent(key, one), index.putIfAbsent(key, one));
      } else {
        index.remove(one); // another one of its five-tuple stays
        assertSame(model.get(key), index.get(key));
        Connection present = model.remove(key);
        if (present != null) {
          index.remove(present);
        }
      }
      assertSame(model.get(key), index.get(key));
    }
    assertEquals(Set.copyOf(model.values()), ImmutableSet.copyOf(index.all()));
    model.values().forEach(index::remove);
    assertTrue(ImmutableSet.copyOf(index.all()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void removed_keepsNoOther(boolean isReply) {
    ConnectionIndex index = new ConnectionIndex(isReply);
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      Connection one = connection(i);
      all.add(one);
      index.putIfAbsent(key(isReply, one), one);
    }
    for (Connection one : all) {
      index.remove(one);
      assertNull(index.next(one));
    }
  }

  /** What is there all the time is always found, however the chains around it change. */
  @Test
  @Timeout(60)
  void lookUps_whileOthersComeAndGo_missNothing() throws Exception {
    ConnectionIndex index = new ConnectionIndex(false);
    List<Connection> stable = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      Connection one = connection(i);
      stable.add(one);
      index.putIfAbsent(one.request(), one);
    }
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch started = new CountDownLatch(3);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<Long>> changes = new ArrayList<>();
      for (int writer = 0; writer < 3; writer++) {
        int first = 10_000 + writer * 100_000;
        changes.add(
            threads.submit(
                () -> {
                  long rounds = 0;
                  while (!over.get()) {
                    List<Connection> own = new ArrayList<>();
                    for (int i = 0; i < 20_000; i++) {
                      Connection one = connection(first + i);
                      own.add(one);
                      index.putIfAbsent(one.request(), one);
                    }
                    started.countDown();
                    own.forEach(index::remove);
                    rounds++;
                  }
                  return rounds;
                }));
      }
      started.await();
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      while (System.nanoTime() < until) {
        for (Connection one : stable) {
          assertSame(one, index.get(one.request()));
        }
      }
      over.set(true);
      for (Future<Long> each : changes) {
        assertTrue(each.get() > 0);
      }
    } finally {
      over.set(true);
      threads.shutdown();
      assertTrue(threads.awaitTermination(30, TimeUnit.SECONDS));
    }
    assertEquals(Set.copyOf(stable), ImmutableSet.copyOf(index.all()));
  }
}
