package io.malob.cluster;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdException;
import io.malob.cluster.etcd.History;
import io.malob.file.DamagedException;
import io.malob.store.Document;
import io.malob.store.DocumentTooLargeException;
import io.malob.store.ListenerCalls;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.StoreUnavailableException;
import io.malob.store.Swap;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps each document under {@code docs/KEY} in etcd, where all controllers of a cluster see it.
 * Revisions are etcd's, which grow over all keys, also with deletions and restarts. After an
 * operator has accepted an etcd that was restored from a backup, the greatest revision before that
 * is added, so that they grow further; until then, users keep what they have. Exclusive documents
 * are shared: writers see each other's revisions. Reads and changes wait for etcd, and fail with
 * {@link StoreUnavailableException} without a quorum.
 */
public final class EtcdStore implements Store {
  private static final Logger LOG = LoggerFactory.getLogger(EtcdStore.class);
  private static final String FOLDER = "docs/";

  /** etcd's default limit for a request ({@code --max-request-bytes}), less what surrounds it. */
  static final int MAX_BYTES = 1536 * 1024 - 1024;

  /** After a failure, before a change is tried, or a watch that has missed changes asks again. */
  private static final long PAUSE_SECONDS = 1;

  private final Etcd etcd;
  private final String prefix;
  private final Optional<Path> directory;
  private final Executor notifier;
  private final History history;
  private final StartWait startWait;

  /** The latest known revisions of documents, by key. */
  private final Map<String, Long> known = new ConcurrentHashMap<>();

  /** What is added to etcd's revisions. */
  private volatile long offset;

  private final Set<Subscription<?>> subscriptions = ConcurrentHashMap.newKeySet();

  /** The last change that etcd did not answer. */
  private volatile @Nullable Outage outage;

  private record Outage(StoreUnavailableException why, long nanos) {}

  /**
   * The documents of a cluster. The client stays open when the store is closed.
   *
   * @param history tells when etcd has lost changes
   * @param prefix the cluster's prefix in etcd, for messages
   * @param directory the data directory of a controller, whose files are not used: a document that
   *     is there, and not in etcd, is an error and not a first start
   * @param notifier runs the calls of listeners
   * @param startWait for reads while the controller starts
   */
  EtcdStore(
      Etcd etcd,
      History history,
      String prefix,
      Optional<Path> directory,
      Executor notifier,
      StartWait startWait) {
    this.startWait = startWait;
    this.etcd = etcd;
    this.history = history;
    this.prefix = prefix;
    this.directory = directory;
    this.notifier = notifier;
    history.onLoss(was -> findOlder());
    history.onAcceptance(this::goOn);
  }

  /** Finds the documents that etcd has in an earlier state than this store. */
  private void findOlder() {
    CompletableFuture<?> unused =
        etcd.read(FOLDER)
            .thenAccept(
                reading -> {
                  Map<String, Long> now = new HashMap<>();
                  reading.items().forEach(item -> now.put(item.key(), item.modRevision()));
                  List<String> older =
                      known.entrySet().stream()
                          .filter(each -> now.getOrDefault(each.getKey(), 0L) < each.getValue())
                          .map(each -> each.getKey().substring(FOLDER.length()))
                          .sorted()
                          .toList();
                  history.addOlder(older);
                  LOG.error(
                      "etcd_documents_older names=\"{}\" - etcd has them in an earlier state; this"
                          + " controller shows the later one until etcd's is accepted",
                      String.join(",", older));
                });
  }

  /** etcd's documents count again, whatever they are. */
  private synchronized void goOn(long was) {
    known.clear();
    offset += was;
    subscriptions.forEach(Subscription::lost);
  }

  /**
   * Writers queue for each other: after one of them has waited for etcd in vain, those behind it
   * are refused at once, so that they do not occupy all threads of the REST interface.
   *
   * @throws StoreUnavailableException during a pause after a failure
   */
  private void checkOutage() throws StoreUnavailableException {
    Outage last = outage;
    if (last != null && System.nanoTime() - last.nanos < TimeUnit.SECONDS.toNanos(PAUSE_SECONDS)) {
      throw new StoreUnavailableException(String.valueOf(last.why.getMessage()), last.why);
    }
  }

  private static String key(Document<?> document) {
    return FOLDER + document.key();
  }

  @Override
  public String where(Document<?> document) {
    return "etcd's key " + prefix + key(document);
  }

  @Override
  public <T> Revisioned<T> read(Document<T> document) throws IOException {
    Etcd.Reading reading = startWait.await(() -> etcd.read(key(document)));
    Revisioned<T> found = of(document, reading.items(), reading.revision());
    if (found.content().isEmpty() && directory.isPresent()) {
      checkAbsent(document, directory.get().resolve(document.key() + ".json"));
    }
    return found;
  }

  /** Tokens of a controller that joins a cluster, for instance, must not be ignored. */
  private void checkAbsent(Document<?> document, Path file) throws IOException {
    if (Files.exists(file)) {
      String key = prefix + key(document);
      throw new IOException(
          String.format(
              "%1$s exists, but etcd has no key %2$s: \"etcdctl put %2$s < %1$s\" copies it; to"
                  + " start without it, move it away",
              file, key));
    }
  }

  /** The document among these keys; if it is missing, its revision is that of the reading. */
  private <T> Revisioned<T> of(Document<T> document, List<Etcd.Item> items, long revision)
      throws IOException {
    for (Etcd.Item item : items) {
      if (item.key().equals(key(document))) {
        return of(document, item);
      }
    }
    return new Revisioned<>(offset + revision, Optional.empty());
  }

  private <T> Revisioned<T> of(Document<T> document, Etcd.Item item) throws IOException {
    try {
      T content = document.reader().read(DocumentText.bytes(item.value()));
      known(item.key(), item.modRevision());
      return new Revisioned<>(offset + item.modRevision(), Optional.of(content));
    } catch (DamagedException | ZipException e) {
      throw new IOException(where(document) + " is damaged: " + e.getMessage(), e);
    }
  }

  private void known(String key, long revision) {
    if (!history.isLost()) {
      known.merge(key, revision, Math::max);
    }
  }

  private void checkHistory() throws StoreUnavailableException {
    if (history.isRefusing()) {
      throw new StoreUnavailableException(
          "etcd was restored from a backup or replaced; './malob cluster raise-base' accepts its state",
          null);
    }
  }

  @Override
  public <T> Swap<T> compareAndSet(Document<T> document, Revisioned<T> expected, Optional<T> next)
      throws IOException {
    checkHistory();
    checkOutage();
    long added = offset;
    if (expected.revision() < added) {
      return new Swap<>(false, read(document)); // it was read before etcd was restored
    }
    String key = key(document);
    Optional<String> value =
        next.isPresent() ? Optional.of(text(document, next.get())) : Optional.empty();
    List<Etcd.Condition> unchanged =
        List.of(
            new Etcd.Condition(
                key, expected.content().isPresent() ? expected.revision() - added : 0));
    List<Etcd.Change> change =
        List.of(
            value.isPresent()
                ? new Etcd.Change.Put(key, value.get(), 0)
                : new Etcd.Change.Delete(key));
    Etcd.Outcome outcome;
    boolean mayBeOurs = false;
    try {
      outcome = await(etcd.commit(unchanged, change));
    } catch (StoreUnavailableException e) {
      if (isFull(e)) {
        outage = new Outage(e, System.nanoTime());
        throw e;
      }
      // it may have been made, or be made later: of two equal changes on one condition, one is made
      outcome = repeated(unchanged, change);
      mayBeOurs = true;
    }
    checkHistory(); // the answer may show that etcd was restored
    if (outcome.isDone()) {
      if (next.isPresent()) {
        known(key, outcome.revision());
      } else {
        known.remove(key);
      }
      return new Swap<>(true, new Revisioned<>(added + outcome.revision(), next));
    }
    boolean isOurs = mayBeOurs && valueOf(key, outcome.now()).equals(value);
    return new Swap<>(isOurs, of(document, outcome.now(), outcome.revision()));
  }

  private static boolean isFull(StoreUnavailableException e) {
    return e.getCause() instanceof EtcdException why && why.isFull();
  }

  private Etcd.Outcome repeated(List<Etcd.Condition> unchanged, List<Etcd.Change> change)
      throws IOException {
    try {
      return await(etcd.commit(unchanged, change));
    } catch (StoreUnavailableException e) {
      outage = new Outage(e, System.nanoTime());
      throw new StoreUnavailableException(
          e.getMessage() + "; it may still take effect", e.getCause());
    }
  }

  private static Optional<String> valueOf(String key, List<Etcd.Item> items) {
    return items.stream().filter(item -> item.key().equals(key)).map(Etcd.Item::value).findFirst();
  }

  private <T> String text(Document<T> document, T content) throws IOException {
    byte[] bytes = document.writer().write(content);
    String value = DocumentText.of(bytes);
    if (bytes.length > DocumentText.MAX_BYTES || value.length() > MAX_BYTES) {
      throw new DocumentTooLargeException(
          String.format(
              "%s has %d bytes, compressed %d, more than etcd's limit for a document, %d bytes",
              document.key(), bytes.length, value.length(), MAX_BYTES));
    }
    return value;
  }

  /**
   * The answer of etcd.
   *
   * @throws StoreUnavailableException if there is none
   */
  static <T> T await(CompletableFuture<T> answer) throws IOException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof EtcdException known && !known.isRefused()) {
        throw new StoreUnavailableException(String.valueOf(known.getMessage()), known);
      }
      throw new IOException(reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for etcd");
    }
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause instanceof EtcdException ? String.valueOf(cause.getMessage()) : "" + cause;
  }

  @Override
  public <T> Watch watch(Document<T> document, Revisioned<T> since, Listener<T> listener) {
    Subscription<T> subscription = new Subscription<>(document, since.revision(), listener);
    subscriptions.add(subscription);
    subscription.follow(since.revision());
    return subscription;
  }

  @Override
  public void close() {
    subscriptions.forEach(Subscription::close);
  }

  /** A listener, until it is closed. etcd calls it by one thread at a time. */
  private final class Subscription<T> implements Watch, Etcd.Watcher {
    private final Document<T> document;
    private final ListenerCalls<T> calls;

    /** The latest revision that the listener knows. */
    private long told;

    private volatile @Nullable AutoCloseable watch;

    Subscription(Document<T> document, long told, Listener<T> listener) {
      this.document = document;
      this.told = told;
      calls =
          new ListenerCalls<>(
              document.key(), listener, MoreExecutors.newSequentialExecutor(notifier));
    }

    void follow(long revision) {
      watch = etcd.watch(key(document), revision - offset + 1, this);
      if (calls.isStopped()) {
        endWatch();
      }
    }

    @Override
    public void changed(Etcd.Item now) {
      if (now.key().equals(key(document)) && isNew(offset + now.modRevision())) {
        tell(now);
      }
    }

    @Override
    public void deleted(String key, long revision) {
      if (key.equals(key(document)) && isNew(offset + revision)) {
        known.remove(key);
        Revisioned<T> none = new Revisioned<>(offset + revision, Optional.empty());
        calls.make(each -> each.changed(none));
      }
    }

    private synchronized boolean isNew(long revision) {
      boolean isNew = revision > told;
      told = Math.max(told, revision);
      return isNew;
    }

    private void tell(Etcd.Item now) {
      try {
        Revisioned<T> content = of(document, now);
        calls.make(each -> each.changed(content));
      } catch (IOException e) {
        calls.make(each -> each.unreadable(e));
      }
    }

    /**
     * etcd has forgotten what changed meanwhile: the listener learns the current state. If etcd was
     * restored, that waits until its state is accepted.
     */
    @Override
    public void lost() {
      if (history.isLost()) {
        return;
      }
      CompletableFuture<?> unused =
          etcd.read(key(document))
              .whenComplete(
                  (reading, thrown) -> {
                    if (calls.isStopped()) {
                      return;
                    } else if (reading == null) {
                      CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS)
                          .execute(this::lost);
                      return;
                    }
                    reading.items().forEach(this::changed);
                    if (valueOf(key(document), reading.items()).isEmpty()) {
                      deleted(key(document), reading.revision());
                    }
                    follow(offset + reading.revision());
                  });
    }

    @Override
    public void close() {
      calls.stop();
      subscriptions.remove(this);
      endWatch();
    }

    private void endWatch() {
      AutoCloseable now = watch;
      if (now != null) {
        try {
          now.close();
        } catch (Exception e) {
          LOG.warn("etcd_watch_not_closed why=\"{}\"", e.toString());
        }
      }
    }
  }
}
