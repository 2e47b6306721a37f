package io.malob.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.HttpEtcd;
import io.malob.file.StateFile;
import io.malob.store.Document;
import io.malob.store.Revisioned;
import io.malob.store.StoreUnavailableException;
import io.malob.testing.EtcdServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real etcd whose data directory is replaced by a backup while controllers run. */
@Timeout(120)
class RestoredEtcdTest {
  private static final String PREFIX = "/test/";

  @TempDir private Path directory;

  private final ScheduledExecutorService notifier = Executors.newScheduledThreadPool(2);
  private final List<Controller> controllers = new ArrayList<>();
  private EtcdServer server;

  /** The part of a controller that uses etcd; as there, what has failed is repeated. */
  private final class Controller {
    final HttpEtcd etcd = new HttpEtcd(Accesses.to(PREFIX, server.endpoint()));
    final EtcdStore store =
        new EtcdStore(etcd, etcd.history(), PREFIX, Optional.empty(), notifier, StartWait.NONE);
    final Restoration restoration = new Restoration(etcd, etcd.history(), notifier);

    Controller() {
      controllers.add(this);
      ScheduledFuture<?> unused =
          notifier.scheduleWithFixedDelay(
              () -> {
                restoration.tick();
                store.tick();
              },
              0,
              50,
              TimeUnit.MILLISECONDS);
    }

    boolean isRefusing() {
      return etcd.history().isRefusing();
    }

    Revisioned<Long> set(Document<Long> document, long number) throws IOException {
      Revisioned<Long> before = store.read(document);
      assertTrue(store.compareAndSet(document, before, Optional.of(number)).isDone());
      return store.read(document);
    }
  }

  @BeforeEach
  void start() throws Exception {
    EtcdServer.assumeInstalled();
    server = EtcdServer.start(directory);
  }

  @AfterEach
  void stop() {
    controllers.forEach(controller -> controller.etcd.close());
    if (server != null) {
      server.close();
    }
    notifier.shutdownNow();
  }

  private static Document<Long> document(String key) {
    return Document.of(
        key,
        bytes -> StateFile.parse(bytes).get("n").whole(0L, Long.MAX_VALUE),
        number -> ("{\"n\":" + number + "}").getBytes(StandardCharsets.UTF_8));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    while (!condition.call()) {
      Thread.sleep(20);
    }
  }

  @Test
  void restoredBackup_isReported_andChangesAreRefused_untilTheBaseIsRaised() throws Exception {
    Document<Long> kept = document("kept");
    Document<Long> changed = document("changed");
    Document<Long> added = document("added");
    Controller first = new Controller();
    assertFalse(first.isRefusing());
    first.set(kept, 1);
    first.set(changed, 1);
    Path data = directory.resolve("e0");
    Path backup = directory.resolve("backup");
    server.kill();
    copy(data, backup);
    server.restart();
    server.awaitHealth();

    Revisioned<Long> latest = first.set(changed, 2);
    first.set(added, 7);
    Queue<Revisioned<Long>> told = new ConcurrentLinkedQueue<>();
    first.store.watch(changed, latest, told::add);
    first.store.read(kept);
    server.kill();
    MoreFiles.deleteRecursively(data, RecursiveDeleteOption.ALLOW_INSECURE);
    copy(backup, data);
    server.restart();
    server.awaitHealth();

    await(() -> first.etcd.history().description().contains("added, changed"));
    assertTrue(first.isRefusing());
    assertTrue(
        first.etcd.history().description().endsWith("Older than before: added, changed."),
        first.etcd.history().description());
    IOException refused =
        assertThrows(
            StoreUnavailableException.class,
            () -> first.store.compareAndSet(changed, latest, Optional.of(3L)));
    assertEquals(
        "etcd was restored from a backup or replaced; './malob cluster raise-base' accepts its"
            + " state",
        refused.getMessage());
    assertEquals(List.of(), List.copyOf(told), "its controller keeps what it has");

    // a controller that starts now has seen nothing of that
    Controller second = new Controller();
    await(second::isRefusing);
    assertThrows(StoreUnavailableException.class, () -> second.set(kept, 9));
    assertTrue(
        second.etcd.history().description().contains("another controller has noticed"),
        second.etcd.history().description());

    long base = second.restoration.acceptingBase();
    assertTrue(base >= latest.revision(), "generation ids go on from there");
    second
        .etcd
        .commit(
            List.of(),
            List.of(new Etcd.Change.Put("cluster/generation-base", Long.toString(base), 0)))
        .get();
    await(() -> !first.isRefusing() && !second.isRefusing());
    await(() -> !told.isEmpty());
    Revisioned<Long> after = told.remove();
    assertEquals(Optional.of(1L), after.content());
    assertTrue(after.revision() > latest.revision());
    assertFalse(first.store.compareAndSet(changed, latest, Optional.of(3L)).isDone());
    assertTrue(first.store.compareAndSet(changed, after, Optional.of(4L)).isDone());
    assertEquals(Optional.of(4L), second.store.read(changed).content());
    await(() -> told.stream().anyMatch(now -> now.content().equals(Optional.of(4L))));
  }
}
