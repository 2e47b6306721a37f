package io.malob.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdException;
import io.malob.cluster.etcd.History;
import io.malob.cluster.etcd.HttpEtcd;
import io.malob.store.Document;
import io.malob.store.DocumentTooLargeException;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.StoreContract;
import io.malob.store.StoreUnavailableException;
import io.malob.store.Swap;
import io.malob.testing.EtcdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a real etcd, and what is true of etcd only. */
class EtcdStoreTest extends StoreContract {
  /** Each test has keys of its own. */
  private static final AtomicInteger TESTS = new AtomicInteger();

  private static EtcdServer server;

  private final String prefix = "/test-" + TESTS.incrementAndGet() + "/";
  private final List<Etcd> clients = new ArrayList<>();

  @BeforeAll
  static void startEtcd(@TempDir Path directory) throws Exception {
    EtcdServer.assumeInstalled();
    server = EtcdServer.start(directory);
  }

  @AfterAll
  static void stopEtcd() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @AfterEach
  void closeClients() {
    clients.forEach(Etcd::close);
  }

  private Etcd client() {
    Etcd client = new HttpEtcd(Accesses.to(prefix, server.endpoint()));
    clients.add(client);
    return client;
  }

  @Override
  protected Store open() {
    return new EtcdStore(
        client(), new History(), prefix, Optional.empty(), notifier, StartWait.NONE);
  }

  @Test
  void stores_seeEachOthersDocuments_andRevisions() throws Exception {
    Store ours = open();
    Store theirs = open();
    Swap<Long> made = ours.compareAndSet(COUNTER, theirs.read(COUNTER), Optional.of(1L));
    assertEquals(made.now(), theirs.read(COUNTER));
    assertTrue(theirs.compareAndSet(COUNTER, made.now(), Optional.of(2L)).isDone());
    Swap<Long> late = ours.compareAndSet(COUNTER, made.now(), Optional.of(3L));
    assertFalse(late.isDone());
    assertEquals(Optional.of(2L), late.now().content());
  }

  @Test
  void exclusiveDocument_isShared() throws Exception {
    Document<Long> exclusive = COUNTER.exclusive();
    open().read(exclusive);
    assertEquals(Optional.empty(), open().read(exclusive).content());
  }

  @Test
  void largeDocument_isCompressed_andTheLimitIsThatOfItsValue() throws Exception {
    Store store = open();
    Document<byte[]> large = Document.of("large", bytes -> bytes, bytes -> bytes);
    Revisioned<byte[]> absent = store.read(large);
    byte[] random = new byte[EtcdStore.MAX_BYTES];
    new Random(1).nextBytes(random);
    IOException e =
        assertThrows(
            DocumentTooLargeException.class,
            () -> store.compareAndSet(large, absent, Optional.of(random)));
    assertTrue(
        e.getMessage().matches("large has 1571840 bytes, compressed 209\\d+, more than .*"),
        e.getMessage());
    byte[] members = "0123456789abcdef".repeat(EtcdStore.MAX_BYTES / 4).getBytes(US_ASCII);
    assertTrue(store.compareAndSet(large, absent, Optional.of(members)).isDone());
    assertArrayEquals(members, open().read(large).content().orElseThrow());
  }

  @Test
  void damagedCompressedDocument_isReported_withItsPlace() throws Exception {
    client().commit(List.of(), List.of(new Etcd.Change.Put("docs/counter", "gzip:AAAA", 0))).get();
    IOException e = assertThrows(IOException.class, () -> open().read(COUNTER));
    assertTrue(
        e.getMessage().startsWith("etcd's key " + prefix + "docs/counter is damaged: not compr"),
        e.getMessage());
  }

  @Test
  void damagedDocument_isReported_withItsPlace() throws Exception {
    Etcd client = client();
    client.commit(List.of(), List.of(new Etcd.Change.Put("docs/counter", "{", 0))).get();
    IOException e = assertThrows(IOException.class, () -> open().read(COUNTER));
    assertTrue(
        e.getMessage().startsWith("etcd's key " + prefix + "docs/counter is damaged: "),
        e.getMessage());
  }

  @Test
  void documentInTheDataDirectory_butNotInEtcd_isNotIgnored(@TempDir Path directory)
      throws Exception {
    Path file = Files.writeString(directory.resolve("counter.json"), "{\"n\":1}");
    Store store =
        new EtcdStore(
            client(), new History(), prefix, Optional.of(directory), notifier, StartWait.NONE);
    IOException e = assertThrows(IOException.class, () -> store.read(COUNTER));
    String key = prefix + "docs/counter";
    assertEquals(
        String.format(
            "%1$s exists, but etcd has no key %2$s: \"etcdctl put %2$s < %1$s\" copies it; to start"
                + " without it, move it away",
            file, key),
        e.getMessage());
    client()
        .commit(List.of(), List.of(new Etcd.Change.Put("docs/counter", Files.readString(file), 0)))
        .get();
    assertEquals(Optional.of(1L), store.read(COUNTER).content());
  }

  /** An etcd whose answers to transactions get lost. */
  private static final class Lossy implements Etcd {
    private final Etcd etcd;
    private final boolean isMade;
    private int losses;

    Lossy(Etcd etcd, int losses, boolean isMade) {
      this.etcd = etcd;
      this.losses = losses;
      this.isMade = isMade;
    }

    @Override
    public CompletableFuture<Outcome> commit(List<Condition> conditions, List<Change> changes) {
      if (losses == 0) {
        return etcd.commit(conditions, changes);
      }
      losses--;
      CompletableFuture<Outcome> lost =
          CompletableFuture.failedFuture(new EtcdException("no answer", null));
      return isMade ? etcd.commit(conditions, changes).thenCompose(outcome -> lost) : lost;
    }

    @Override
    public CompletableFuture<Reading> read(String prefix) {
      return etcd.read(prefix);
    }

    @Override
    public CompletableFuture<Lease> grant(Duration lifetime) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Boolean> keepAlive(long lease) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> revoke(long lease) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Watch watch(String prefix, long fromRevision, Watcher watcher) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private Store lossy(int losses, boolean isMade) {
    return new EtcdStore(
        new Lossy(client(), losses, isMade),
        new History(),
        prefix,
        Optional.empty(),
        notifier,
        StartWait.NONE);
  }

  @Test
  void changeWhoseAnswerIsLost_isDone_whetherItWasMadeOrNot() throws Exception {
    for (boolean isMade : List.of(true, false)) {
      Revisioned<Long> before = open().read(COUNTER);
      Swap<Long> swap = lossy(1, isMade).compareAndSet(COUNTER, before, Optional.of(7L));
      assertTrue(swap.isDone());
      assertEquals(open().read(COUNTER), swap.now());
      Swap<Long> gone = lossy(1, isMade).compareAndSet(COUNTER, swap.now(), Optional.empty());
      assertTrue(gone.isDone());
      assertEquals(Optional.empty(), open().read(COUNTER).content());
    }
  }

  @Test
  void changeOfAnother_whileTheAnswerIsLost_isNotTakenForOurs() throws Exception {
    Revisioned<Long> before = open().read(COUNTER);
    open().compareAndSet(COUNTER, before, Optional.of(8L));
    Swap<Long> swap = lossy(1, true).compareAndSet(COUNTER, before, Optional.of(7L));
    assertFalse(swap.isDone());
    assertEquals(Optional.of(8L), swap.now().content());
  }

  @Test
  void changeThatIsNeverAnswered_isUnavailable_andSaysThatItMayTakeEffect() throws Exception {
    Revisioned<Long> before = open().read(COUNTER);
    Store store = lossy(2, true);
    assertEquals(
        "no answer; it may still take effect",
        unavailable(() -> store.compareAndSet(COUNTER, before, Optional.of(7L))));
    Revisioned<Long> now = store.read(COUNTER);
    assertEquals(Optional.of(7L), now.content());
    // those who have waited behind it do not wait again
    assertEquals(
        "no answer", unavailable(() -> store.compareAndSet(COUNTER, now, Optional.of(8L))));
    Thread.sleep(1100);
    assertTrue(store.compareAndSet(COUNTER, now, Optional.of(8L)).isDone());
  }

  private static String unavailable(Executable change) {
    return assertThrows(StoreUnavailableException.class, change).getMessage();
  }
}
