package io.malob.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdException;
import io.malob.cluster.etcd.History;
import io.malob.store.Document;
import io.malob.store.Revisioned;
import io.malob.testing.Stub;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What follows a loss, on an etcd that answers when a test says so. */
class RestorationTest {
  private static final Document<String> DOCUMENT =
      Document.of("a", bytes -> new String(bytes, UTF_8), text -> text.getBytes(UTF_8));

  private final Queue<CompletableFuture<Etcd.Reading>> readings = new ArrayDeque<>();
  private final List<Etcd.Change> changes = new ArrayList<>();
  private final List<Long> watchedFrom = new ArrayList<>();
  private final History history = new History();
  private Etcd.Watcher watcher;

  @SuppressWarnings("FutureReturnValueIgnored") // the caller of the stub gets it
  private final Etcd etcd =
      Stub.of(Etcd.class)
          .on(
              "read",
              with -> {
                CompletableFuture<Etcd.Reading> reading = new CompletableFuture<>();
                readings.add(reading);
                return reading;
              })
          .on(
              "watch",
              with -> {
                watchedFrom.add((long) with[1]);
                watcher = (Etcd.Watcher) with[2];
                return Stub.of(Etcd.Watch.class).on("close", none -> null).make();
              })
          .on(
              "commit",
              with -> {
                changes.addAll(((List<?>) with[1]).stream().map(Etcd.Change.class::cast).toList());
                return new CompletableFuture<Etcd.Outcome>();
              })
          .make();

  private void lose() {
    assertFalse(history.answered(history.mark(), 7, 9));
    assertTrue(history.answered(history.mark(), 7, 3));
  }

  private EtcdStore store() {
    return new EtcdStore(etcd, history, "/p/", Optional.empty(), Runnable::run, StartWait.NONE);
  }

  private void answer(long revision, Etcd.Item... items) {
    readings.remove().complete(new Etcd.Reading(revision, List.of(items)));
  }

  @Test
  void otherControllers_areInformed_whenTheKeysHaveBeenReadAnew() {
    Restoration restoration = new Restoration(etcd, history, Runnable::run);
    restoration.tick();
    answer(9, new Etcd.Item("cluster/generation-base", "100", 1, 1, 0));
    lose();
    watcher.lost();
    restoration.tick();
    assertEquals(List.of(), changes, "it is not known what they have been told");
    answer(3);
    assertEquals(List.of(new Etcd.Change.Put("cluster/lost-generation", "109", 0)), changes);
    assertEquals(109, restoration.acceptingBase());
  }

  @Test
  void olderDocuments_areFound_whenEtcdAnswersAtLast() throws Exception {
    EtcdStore store = store();
    store.watch(DOCUMENT, new Revisioned<>(8, Optional.of("0")), told -> {});
    watcher.changed(new Etcd.Item("docs/a", "1", 2, 9, 0));
    lose();
    readings.remove().completeExceptionally(new EtcdException("no answer", null));
    store.tick();
    assertTrue(history.description().endsWith("no document."), history.description());
    answer(3);
    assertTrue(history.description().endsWith("Older than before: a."), history.description());
    store.tick();
    assertEquals(0, readings.size());
  }

  @Test
  void documentReadBeforeTheLoss_andWatchedAfterItsAcceptance_isReadAnew() {
    EtcdStore store = store();
    lose();
    history.accept();
    List<Revisioned<String>> told = new ArrayList<>();
    readings.clear();
    store.watch(DOCUMENT, new Revisioned<>(4, Optional.of("old")), told::add);
    answer(3, new Etcd.Item("docs/a", "1", 2, 2, 0));
    assertEquals(List.of(new Revisioned<>(11, Optional.of("1"))), told);
    assertEquals(List.of(4L), watchedFrom);
  }
}
