package io.malob.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdException;
import io.malob.cluster.etcd.EtcdSpace;
import io.malob.cluster.etcd.History;
import io.malob.cluster.etcd.HttpEtcd;
import io.malob.module.ClusterView;
import io.malob.module.MastershipPolicy;
import io.malob.store.Document;
import io.malob.store.Store;
import io.malob.store.StoreUnavailableException;
import io.malob.testing.EtcdServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdUpkeepTest {
  private static final long MINUTE = 60_000_000_000L;

  private long nanos;
  private long revision = 1;
  private EtcdSpace space = new EtcdSpace(URI.create("http://etcd:2379"), 0, 2_000_000_000, false);
  private final List<Long> compactions = new ArrayList<>();
  private final EtcdUpkeep upkeep =
      new EtcdUpkeep(
          () -> CompletableFuture.completedFuture(revision),
          at -> {
            compactions.add(at);
            return CompletableFuture.completedFuture(null);
          },
          () -> CompletableFuture.completedFuture(List.of(space)),
          () -> nanos);

  private void minutes(int count) {
    for (int i = 0; i < count; i++) {
      upkeep.tick();
      nanos += MINUTE;
      revision += 100;
    }
  }

  @Test
  void valuesOfTheLastFiveMinutes_areKept() {
    minutes(5);
    assertEquals(List.of(), compactions);
    minutes(3);
    assertEquals(List.of(1L, 101L, 201L), compactions);
  }

  @Test
  void etcdThatIsIdle_isNotCompactedAgain() {
    minutes(6);
    for (int i = 0; i < 20; i++) {
      upkeep.tick();
      nanos += MINUTE;
    }
    assertEquals(List.of(1L, 101L, 201L, 301L, 401L, 501L, 601L), compactions);
  }

  @Test
  void restoredEtcd_isCompactedByItsOwnRevisions() {
    minutes(6);
    compactions.clear();
    revision = 10;
    minutes(6);
    assertEquals(List.of(10L), compactions);
  }

  private List<String> problems() {
    upkeep.tick();
    ClusterView none =
        new ClusterView(
            "a",
            true,
            0,
            0,
            MastershipPolicy.SINGLE,
            ImmutableList.of(),
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableList.of());
    return upkeep.withProblem(none).problems().stream()
        .map(each -> each.kind() + ": " + each.text())
        .toList();
  }

  @Test
  void databaseThatFills_isAProblem_beforeItIsFull() {
    assertEquals(List.of(), problems());
    space = new EtcdSpace(space.server(), 1_500_000_000, space.quota(), false);
    assertEquals(
        List.of(
            "ETCD_SPACE: etcd's server http://etcd:2379 uses 1500 MB of its quota of 2000 MB; at"
                + " the quota, it takes no changes."),
        problems());
    space = new EtcdSpace(space.server(), 100, Long.MAX_VALUE, false);
    assertEquals(List.of(), problems());
  }

  @Test
  void fullEtcd_isUnavailableForChanges_andShownAsFull(@TempDir Path directory) throws Exception {
    EtcdServer.assumeInstalled();
    try (EtcdServer server = EtcdServer.start(directory, "--quota-backend-bytes=1000000");
        HttpEtcd etcd = new HttpEtcd(Accesses.to("/full/", server.endpoint()))) {
      assertFalse(etcd.space().get().get(0).isFull());
      assertEquals(1_000_000, etcd.space().get().get(0).quota());
      Store store =
          new EtcdStore(
              etcd, new History(), "/full/", Optional.empty(), Runnable::run, StartWait.NONE);
      Document<byte[]> document = Document.of("large", bytes -> bytes, bytes -> bytes);
      StoreUnavailableException why =
          assertThrows(
              StoreUnavailableException.class,
              () -> {
                for (int i = 0; i < 40; i++) {
                  assertTrue(
                      store
                          .compareAndSet(
                              document, store.read(document), Optional.of(new byte[100_000 + i]))
                          .isDone());
                }
              });
      assertEquals(
          "etcd's database has reached its quota, and takes no changes (NOSPACE)",
          why.getMessage());
      assertTrue(etcd.space().get().get(0).isFull());
      assertEquals(100, etcd.space().get().get(0).percent());
      ExecutionException noLease =
          assertThrows(ExecutionException.class, () -> etcd.grant(Duration.ofSeconds(3)).get());
      assertTrue(((EtcdException) noLease.getCause()).isFull());
    }
  }

  @Test
  void compaction_forgetsEarlierValues_andMayBeRepeated(@TempDir Path directory) throws Exception {
    EtcdServer.assumeInstalled();
    try (EtcdServer server = EtcdServer.start(directory);
        HttpEtcd etcd = new HttpEtcd(Accesses.to("/compact/", server.endpoint()))) {
      for (int i = 0; i < 10; i++) {
        etcd.commit(List.of(), List.of(new Etcd.Change.Put("key", "" + i, 0))).get();
      }
      long now = etcd.revision().get();
      etcd.compact(now).get();
      etcd.compact(now).get();
      assertEquals("9", etcd.read("key").get().items().get(0).value());
      CompletableFuture<Void> lost = new CompletableFuture<>();
      etcd.watch(
          "key",
          now - 5,
          new Etcd.Watcher() {
            @Override
            public void changed(Etcd.Item item) {}

            @Override
            public void deleted(String key, long at) {}

            @Override
            public void lost() {
              lost.complete(null);
            }
          });
      lost.get(5, TimeUnit.SECONDS);
    }
  }
}
