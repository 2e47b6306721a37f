package io.malob.cluster;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdException;
import io.malob.cluster.etcd.History;
import io.malob.cluster.etcd.MirroredRange;
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
import java.util.concurrent.atomic.AtomicBoolean;
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

  /** Whether changes were lost, and etcd has not yet said which documents it has. */
  private final AtomicBoolean isOlderUnknown = new AtomicBoolean();

  /** The last change that etcd did not answer. */
  private volatile @Nullable Outage outage;

  private record Outage(StoreUnavailableException why, long nanos) {}

  /**
   * The documents of a cluster. The client stays open when the store is closed.
   *
   * @param history reports when etcd has lost changes
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
    history.onLoss(
        was -> {
          isOlderUnknown.set(true);
          findOlder();
        });
    history.onAcceptance(this::goOn);
  }

  /** Finds the documents that etcd has in an earlier state than this store. */
  private void findOlder() {
    CompletableFuture<?> unused =
        etcd.read(FOLDER)
            .thenAccept(
                reading -> {
                  if (!isOlderUnknown.getAndSet(false)) {
                    return; // accepted, or found by a repetition
                  }
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
    isOlderUnknown.set(false);
    known.clear();
    offset += was;
    subscriptions.forEach(Subscription::refresh);
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
    Optional<Etcd.Item> item = find(key(document), items);
    return item.isPresent()
        ? of(document, item.get())
        : new Revisioned<>(offset + revision, Optional.empty());
  }

  private static Optional<Etcd.Item> find(String key, List<Etcd.Item> items) {
    return items.stream().filter(item -> item.key().equals(key)).findFirst();
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
          "etcd was restored from a backup or replaced; './malob cluster raise-base' accepts its"
              + " state",
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
    boolean isOurs = mayBeOurs && find(key, outcome.now()).map(Etcd.Item::value).equals(value);
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
      throw new IOException(
          e.getCause() instanceof EtcdException why ? why.getMessage() : "" + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for etcd");
    }
  }

  @Override
  public <T> Watch watch(Document<T> document, Revisioned<T> since, Listener<T> listener) {
    Subscription<T> subscription = new Subscription<>(document, since.revision(), listener);
    subscriptions.add(subscription);
    return subscription;
  }

  /** Repeats failed readings; to be called about once a second. */
  void tick() {
    if (isOlderUnknown.get()) {
      findOlder();
    }
    subscriptions.forEach(Subscription::tick);
  }

  @Override
  public void close() {
    subscriptions.forEach(Subscription::close);
  }

  /**
   * A listener, until it is closed. If etcd was restored, it learns the current state when that is
   * accepted.
   */
  private final class Subscription<T> implements Watch {
    private final Document<T> document;
    private final ListenerCalls<T> calls;
    private final Executor serialExecutor = MoreExecutors.newSequentialExecutor(notifier);

    /** On the serial executor. */
    private final MirroredRange range;

    /** The latest revision that the listener knows; on the serial executor. */
    private long reported;

    Subscription(Document<T> document, long since, Listener<T> listener) {
      this.document = document;
      reported = since;
      calls = new ListenerCalls<>(document.key(), listener, Runnable::run);
      range =
          new MirroredRange(etcd, key(document), serialExecutor, (key, wentBack) -> changed(key));
      serialExecutor.execute(() -> follow(since - offset));
    }

    private void follow(long revision) {
      if (revision < 0) {
        range.refresh(); // it was read before etcd was restored
      } else {
        range.follow(revision);
      }
    }

    void tick() {
      serialExecutor.execute(range::tick);
    }

    /** etcd's state counts again, whatever it is. */
    void refresh() {
      serialExecutor.execute(range::refresh);
    }

    private void changed(@Nullable String key) {
      Etcd.@Nullable Item now = range.get(key(document));
      long revision = offset + (now == null ? range.revision() : now.modRevision());
      boolean isOther = key != null && !key.equals(key(document)); // which begins with this one's
      if (isOther || history.isLost() || revision <= reported) {
        return;
      }
      reported = revision;
      if (now == null) {
        known.remove(key(document));
        calls.make(each -> each.changed(new Revisioned<>(revision, Optional.empty())));
        return;
      }
      try {
        Revisioned<T> content = of(document, now);
        calls.make(each -> each.changed(content));
      } catch (IOException e) {
        calls.make(each -> each.unreadable(e));
      }
    }

    @Override
    public void close() {
      calls.stop();
      subscriptions.remove(this);
      serialExecutor.execute(range::close);
    }
  }
}
