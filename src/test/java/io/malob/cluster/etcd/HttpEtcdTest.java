package io.malob.cluster.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.cluster.Accesses;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.testing.EtcdServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On three real servers. */
@Tag("real-time")
@Timeout(60)
class HttpEtcdTest {
  /** Each test has keys of its own. */
  private static final AtomicInteger TESTS = new AtomicInteger();

  private static List<EtcdServer> servers;

  private final Changes changes = new Changes();
  private HttpEtcd etcd;

  /** What a watch reports, as text. */
  private static final class Changes implements Etcd.Watcher {
    final BlockingQueue<String> all = new LinkedBlockingQueue<>();

    @Override
    public void changed(Item now) {
      all.add(now.key() + "=" + now.value());
    }

    @Override
    public void deleted(String key, long revision) {
      all.add(key + " gone");
    }

    @Override
    public void lost() {
      all.add("lost");
    }

    String next() throws InterruptedException {
      return Objects.requireNonNull(all.poll(20, TimeUnit.SECONDS), "nothing was reported");
    }
  }

  @BeforeAll
  static void startServers(@TempDir Path directory) throws Exception {
    EtcdServer.assumeInstalled();
    servers = EtcdServer.start(directory, 3);
  }

  @AfterAll
  static void stopServers() throws Exception {
    if (servers != null) {
      for (EtcdServer server : servers) {
        server.close();
      }
    }
  }

  @BeforeEach
  void connect() {
    etcd =
        new HttpEtcd(
            Accesses.to(
                "/test-" + TESTS.incrementAndGet() + "/",
                servers.stream().map(EtcdServer::endpoint).toArray(URI[]::new)));
  }

  @AfterEach
  void disconnect() {
    etcd.close();
  }

  private Etcd.Outcome put(String key, String value) throws Exception {
    return etcd.commit(List.of(), List.of(new Change.Put(key, value, 0))).get();
  }

  private AutoCloseable watch(String prefix, long fromRevision) {
    return etcd.watch(prefix, fromRevision, changes);
  }

  private static Throwable failure(ExecutionException e) {
    assertTrue(e.getCause() instanceof EtcdException, "" + e.getCause());
    return e.getCause();
  }

  @Test
  void keys_areRead_inOrder_withTheirRevisions() throws Exception {
    long before = put("b/2", "zwei ö").revision();
    long after = put("b/1", "").revision();
    put("c", "other");
    Etcd.Reading reading = etcd.read("b/").get();
    assertEquals(
        List.of(new Item("b/1", "", after, after, 0), new Item("b/2", "zwei ö", before, before, 0)),
        reading.items());
    assertEquals(after + 1, reading.revision());
    assertEquals(List.of(), etcd.read("d").get().items());
  }

  @Test
  void transaction_isMade_ifAllConditionsHold_elseItReads() throws Exception {
    Etcd.Outcome made =
        etcd.commit(
                List.of(new Condition("a", 0), new Condition("b", 0)),
                List.of(new Change.Put("a", "1", 0), new Change.Put("b", "1", 0)))
            .get();
    assertEquals(new Etcd.Outcome(true, made.revision(), List.of()), made);
    long a = put("a", "2").revision();
    Etcd.Outcome refused =
        etcd.commit(
                List.of(
                    new Condition("a", made.revision()),
                    new Condition("b", made.revision()),
                    new Condition("c", 0)),
                List.of(new Change.Delete("b"), new Change.Put("c", "1", 0)))
            .get();
    assertFalse(refused.isDone());
    assertEquals(
        List.of(
            new Item("a", "2", made.revision(), a, 0),
            new Item("b", "1", made.revision(), made.revision(), 0)),
        refused.now());
    assertEquals(2, etcd.read("").get().items().size());
    Etcd.Outcome deleted =
        etcd.commit(List.of(new Condition("b", made.revision())), List.of(new Change.Delete("b")))
            .get();
    assertTrue(deleted.isDone());
    assertTrue(deleted.revision() > a);
  }

  @Test
  void lease_keepsItsKeys_untilItEnds() throws Exception {
    long lease = etcd.grant(Duration.ofSeconds(2)).get().id();
    assertNotEquals(0, lease);
    etcd.commit(List.of(), List.of(new Change.Put("key", "held", lease))).get();
    Etcd.Reading reading = etcd.read("key").get();
    assertEquals(lease, reading.items().get(0).lease());
    for (int i = 0; i < 4; i++) {
      Thread.sleep(800);
      assertTrue(etcd.keepAlive(lease).get());
    }
    watch("key", reading.revision() + 1);
    assertEquals("key gone", changes.next());
    assertFalse(etcd.keepAlive(lease).get());
  }

  /** An etcd with a long election timeout, as over a wide area. */
  @Test
  void lease_lastsAsLongAsEtcdSays(@TempDir Path directory) throws Exception {
    try (EtcdServer slow = EtcdServer.start(directory, "--election-timeout=5000");
        Etcd client = new HttpEtcd(Accesses.to("/slow/", slow.endpoint()))) {
      assertEquals(Duration.ofSeconds(8), client.grant(Duration.ofSeconds(3)).get().lifetime());
      assertEquals(Duration.ofSeconds(60), client.grant(Duration.ofSeconds(60)).get().lifetime());
    }
  }

  @Test
  void leaseThatIsRevoked_isGoneAtOnce_andMayBeRevokedAgain() throws Exception {
    long lease = etcd.grant(Duration.ofSeconds(60)).get().id();
    etcd.commit(List.of(), List.of(new Change.Put("key", "held", lease))).get();
    etcd.revoke(lease).get();
    assertEquals(List.of(), etcd.read("key").get().items());
    assertFalse(etcd.keepAlive(lease).get());
    assertNull(etcd.revoke(lease).get());
    ExecutionException e =
        assertThrows(
            ExecutionException.class,
            () -> etcd.commit(List.of(), List.of(new Change.Put("key", "held", lease))).get());
    assertEquals("etcd refused the request: requested lease not found", failure(e).getMessage());
  }

  @Test
  void watch_reportsAllChanges_fromTheRevisionOn() throws Exception {
    put("w/0", "before");
    long first = put("w/1", "a").revision();
    put("x", "other");
    AutoCloseable watch = watch("w/", first);
    etcd.commit(List.of(), List.of(new Change.Delete("w/0"), new Change.Put("w/2", "b", 0))).get();
    put("w/1", "c");
    assertEquals("w/1=a", changes.next());
    assertEquals("w/0 gone", changes.next());
    assertEquals("w/2=b", changes.next());
    assertEquals("w/1=c", changes.next());
    watch.close();
    put("w/1", "d");
    Thread.sleep(200);
    assertEquals(List.of(), List.copyOf(changes.all));
  }

  @Test
  void watchOfForgottenChanges_isLost() throws Exception {
    long first = put("w", "a").revision();
    long last = put("w", "b").revision();
    servers.get(0).post("/v3/kv/compaction", "{\"revision\":\"" + last + "\"}");
    watch("w", first);
    assertEquals("lost", changes.next());
  }

  @Test
  void serverThatIsKilled_isLeft_andNothingIsMissed() throws Exception {
    long first = put("w", "0").revision();
    watch("w", first);
    assertEquals("w=0", changes.next());
    try {
      servers.get(0).kill();
      for (int i = 1; i <= 5; i++) {
        etcd.read("w").get();
        put("w", "" + i);
      }
      for (int i = 1; i <= 5; i++) {
        assertEquals("w=" + i, changes.next());
      }
    } finally {
      servers.get(0).restart();
      servers.get(0).awaitHealth();
    }
  }

  @Test
  void serverThatIsFrozen_isLeft_andNothingIsMissed() throws Exception {
    long first = put("w", "0").revision();
    watch("w", first);
    assertEquals("w=0", changes.next());
    try {
      servers.get(0).freeze();
      // if it was the leader, the others elect another one
      etcd.read("w").exceptionally(thrown -> null).get();
      etcd.read("w").get();
      put("w", "1");
      assertEquals("w=1", changes.next());
    } finally {
      servers.get(0).thaw();
      servers.get(0).awaitHealth();
    }
  }

  @Test
  void withoutQuorum_callsFailInTime_andSucceedAfterIt() throws Exception {
    long first = put("w", "0").revision();
    watch("w", first);
    assertEquals("w=0", changes.next());
    try {
      servers.get(0).kill();
      servers.get(1).kill();
      long start = System.nanoTime();
      String why =
          failure(assertThrows(ExecutionException.class, () -> put("w", "1"))).getMessage();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      assertTrue(millis < 3000, millis + " ms");
      assertTrue(why.startsWith("etcd has no quorum or cannot be reached (http://127."), why);
      assertThrows(ExecutionException.class, () -> etcd.read("w").get());
    } finally {
      servers.get(0).restart();
      servers.get(1).restart();
      for (EtcdServer server : servers) {
        server.awaitHealth();
      }
    }
    put("w", "2");
    String next = changes.next();
    // the change without an answer may have been made
    assertEquals("w=2", next.equals("w=1") ? changes.next() : next);
  }
}
