package io.malob.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.file.StateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every store must do. A subclass says which store. */
@Timeout(60)
public abstract class StoreContract {
  private static final int WRITERS = 8;
  private static final int WRITES_EACH = 50;

  /** A number. */
  protected static final Document<Long> COUNTER =
      Document.of(
          "counter",
          bytes -> StateFile.parse(bytes).get("n").whole(0L, Long.MAX_VALUE),
          number -> ("{\"n\":" + number + "}").getBytes(StandardCharsets.UTF_8));

  private static final Document<Long> OTHER =
      Document.of("other", COUNTER.reader(), COUNTER.writer());

  /** Runs what listeners do, as a controller's timer does: by several threads. */
  protected final ExecutorService notifier = Executors.newFixedThreadPool(4);

  private Store store;

  /** A store without documents. */
  protected abstract Store open() throws IOException;

  @BeforeEach
  void openStore() throws IOException {
    store = open();
  }

  @AfterEach
  void closeStore() throws IOException {
    store.close();
    notifier.shutdownNow();
  }

  private Revisioned<Long> set(Revisioned<Long> expected, long number) throws IOException {
    Swap<Long> swap = store.compareAndSet(COUNTER, expected, Optional.of(number));
    assertTrue(swap.isDone());
    return swap.now();
  }

  /** Writes down what it is told. */
  private static final class Recorder implements Store.Listener<Long> {
    final BlockingQueue<Revisioned<Long>> told = new LinkedBlockingQueue<>();

    @Override
    public void changed(Revisioned<Long> now) {
      told.add(now);
    }

    Revisioned<Long> next() throws InterruptedException {
      return Objects.requireNonNull(told.poll(20, TimeUnit.SECONDS), "nothing was told");
    }
  }

  @Test
  void documentThatIsNotThere_isEmpty() throws Exception {
    assertEquals(Optional.empty(), store.read(COUNTER).content());
  }

  @Test
  void documentThatIsSet_isRead_withTheRevisionThatWasGivenOut() throws Exception {
    Revisioned<Long> made = set(store.read(COUNTER), 7);
    assertEquals(Optional.of(7L), made.content());
    assertEquals(made, store.read(COUNTER));
    assertEquals(Optional.empty(), store.read(OTHER).content());
  }

  @Test
  void revisions_growWithEachChange_deletionIncluded() throws Exception {
    Revisioned<Long> absent = store.read(COUNTER);
    Revisioned<Long> one = set(absent, 1);
    Revisioned<Long> same = set(one, 1);
    Revisioned<Long> gone = store.compareAndSet(COUNTER, same, Optional.empty()).now();
    Revisioned<Long> again = set(gone, 1);
    List<Revisioned<Long>> all = List.of(absent, one, same, gone, again);
    for (int i = 1; i < all.size(); i++) {
      assertTrue(all.get(i).isAfter(all.get(i - 1)), all.toString());
    }
    assertEquals(Optional.empty(), gone.content());
    assertEquals(again, store.read(COUNTER));
  }

  @Test
  void setFromAnEarlierRevision_fails_withTheCurrentOne() throws Exception {
    Revisioned<Long> absent = store.read(COUNTER);
    Revisioned<Long> one = set(absent, 1);
    Swap<Long> late = store.compareAndSet(COUNTER, absent, Optional.of(9L));
    assertFalse(late.isDone());
    assertEquals(one, late.now());
    assertEquals(one, store.read(COUNTER));

    Revisioned<Long> two = set(one, 2);
    assertEquals(
        new Swap<>(false, two), store.compareAndSet(COUNTER, one, Optional.empty()), "deletion");
    assertEquals(two, store.read(COUNTER));
  }

  @Test
  void documents_haveRevisionsOfTheirOwn() throws Exception {
    Revisioned<Long> one = set(store.read(COUNTER), 1);
    Revisioned<Long> other = store.read(OTHER);
    set(one, 2);
    assertTrue(store.compareAndSet(OTHER, other, Optional.of(5L)).isDone());
  }

  @Test
  void watch_tellsEachRevision_inOrder_ownOnesIncluded() throws Exception {
    Recorder recorder = new Recorder();
    Revisioned<Long> last = store.read(COUNTER);
    store.watch(COUNTER, last, recorder);
    List<Revisioned<Long>> made = new ArrayList<>();
    for (long number = 0; number < 200; number++) {
      last = set(last, number);
      made.add(last);
    }
    made.add(store.compareAndSet(COUNTER, last, Optional.empty()).now());
    for (Revisioned<Long> each : made) {
      assertEquals(each, recorder.next());
    }
  }

  @Test
  void watch_thatBeginsLate_tellsOfTheStateNow() throws Exception {
    Revisioned<Long> read = store.read(COUNTER);
    Revisioned<Long> two = set(set(read, 1), 2);
    Recorder late = new Recorder();
    store.watch(COUNTER, read, late);
    while (!late.next().equals(two)) {
      // a store may tell of what was between
    }
    Recorder inTime = new Recorder();
    store.watch(COUNTER, two, inTime);
    Revisioned<Long> three = set(two, 3);
    assertEquals(three, inTime.next());
    assertEquals(three, late.next());
  }

  @Test
  void watchThatIsClosed_isToldNothingMore() throws Exception {
    Recorder closed = new Recorder();
    Recorder open = new Recorder();
    Revisioned<Long> read = store.read(COUNTER);
    Store.Watch watch = store.watch(COUNTER, read, closed);
    store.watch(COUNTER, read, open);
    Revisioned<Long> one = set(read, 1);
    assertEquals(one, closed.next());
    watch.close();
    assertEquals(one, open.next());
    assertEquals(set(one, 2), open.next());
    assertEquals(List.of(), List.copyOf(closed.told));
    watch.close();
  }

  @Test
  void failingListener_keepsOthersFromNothing() throws Exception {
    Revisioned<Long> read = store.read(COUNTER);
    store.watch(
        COUNTER,
        read,
        now -> {
          throw new IllegalStateException("expected by this test");
        });
    Recorder other = new Recorder();
    store.watch(COUNTER, read, other);
    Revisioned<Long> one = set(read, 1);
    assertEquals(one, other.next());
    assertEquals(set(one, 2), other.next());
  }

  /** One that keeps what it is told can go on from there. */
  @Test
  void listener_mayReadAndWrite() throws Exception {
    Revisioned<Long> read = store.read(COUNTER);
    BlockingQueue<Swap<Long>> swaps = new LinkedBlockingQueue<>();
    store.watch(
        COUNTER,
        read,
        now -> {
          try {
            if (now.content().equals(Optional.of(1L))) {
              swaps.add(store.compareAndSet(COUNTER, store.read(COUNTER), Optional.of(2L)));
            }
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    set(read, 1);
    Swap<Long> swap = swaps.poll(20, TimeUnit.SECONDS);
    assertTrue(swap != null && swap.isDone());
    assertEquals(Optional.of(2L), store.read(COUNTER).content());
  }

  @Test
  void writersAtATime_loseNoUpdate_andWatchersSeeEachOne() throws Exception {
    Recorder recorder = new Recorder();
    store.watch(COUNTER, store.read(COUNTER), recorder);
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      Callable<Void> writer =
          () -> {
            for (int i = 0; i < WRITES_EACH; i++) {
              increment();
            }
            return null;
          };
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        all.add(writers.submit(writer));
      }
      for (Future<Void> each : all) {
        each.get();
      }
    } finally {
      writers.shutdownNow();
    }
    long total = (long) WRITERS * WRITES_EACH;
    assertEquals(Optional.of(total), store.read(COUNTER).content());
    List<Long> told = new ArrayList<>();
    for (int i = 0; i < total; i++) {
      told.add(recorder.next().content().orElseThrow());
    }
    assertEquals(LongStream.rangeClosed(1, total).boxed().toList(), told);
  }

  private void increment() throws IOException {
    Revisioned<Long> now = store.read(COUNTER);
    Swap<Long> swap;
    do {
      swap = store.compareAndSet(COUNTER, now, Optional.of(now.content().orElse(0L) + 1));
      now = swap.now();
    } while (!swap.isDone());
  }

  /** Of many that set from one revision, one succeeds. */
  @Test
  void writersFromOneRevision_oneSucceeds() throws Exception {
    Revisioned<Long> read = store.read(COUNTER);
    List<Callable<Boolean>> all =
        IntStream.range(0, WRITERS)
            .mapToObj(
                i ->
                    (Callable<Boolean>)
                        () -> store.compareAndSet(COUNTER, read, Optional.of((long) i)).isDone())
            .toList();
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      int succeeded = 0;
      for (Future<Boolean> each : writers.invokeAll(all)) {
        succeeded += each.get() ? 1 : 0;
      }
      assertEquals(1, succeeded);
    } finally {
      writers.shutdownNow();
    }
  }

  @Test
  void close_endsAllWatches() throws Exception {
    Recorder recorder = new Recorder();
    Revisioned<Long> read = store.read(COUNTER);
    store.watch(COUNTER, read, recorder);
    store.close();
    try {
      store.compareAndSet(COUNTER, read, Optional.of(1L));
    } catch (IOException | IllegalStateException e) {
      // a store need not take anything any more
    }
    notifier.shutdown();
    assertTrue(notifier.awaitTermination(20, TimeUnit.SECONDS));
    assertEquals(List.of(), List.copyOf(recorder.told));
  }

  @Test
  void whereADocumentIs_isSaid() {
    assertFalse(store.where(COUNTER).isEmpty());
  }
}
