package io.malob.cluster.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.cluster.etcd.Etcd.Reading;
import io.malob.cluster.etcd.Etcd.Watch;
import io.malob.cluster.etcd.Etcd.Watcher;
import io.malob.testing.Stub;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** A mirror of keys, on an etcd whose answers and events come when a test says so. */
@SuppressWarnings("FutureReturnValueIgnored") // the readings of the stub
class MirroredRangeTest {
  private final Map<String, Item> keys = new TreeMap<>();
  private long revision = 5;
  private boolean hasQuorum = true;
  private int readings;
  private final Queue<Runnable> answers = new ArrayDeque<>();
  private final List<OpenWatch> watches = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private boolean throwsAtEach;

  private final Etcd etcd =
      Stub.of(Etcd.class)
          .on("read", with -> read())
          .on("watch", with -> new OpenWatch((long) with[1], (Watcher) with[2]))
          .make();

  private final MirroredRange range =
      new MirroredRange(
          etcd,
          "k/",
          Runnable::run,
          (key, wentBack) -> note(key != null ? key : wentBack ? "back" : "all"));

  private final class OpenWatch implements Watch {
    final long from;
    final Watcher watcher;
    boolean isClosed;

    OpenWatch(long from, Watcher watcher) {
      this.from = from;
      this.watcher = watcher;
      watches.add(this);
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private void note(String event) {
    events.add(event);
    if (throwsAtEach) {
      throw new IllegalStateException("a listener that throws");
    }
  }

  private CompletableFuture<Reading> read() {
    readings++;
    CompletableFuture<Reading> answer = new CompletableFuture<>();
    answers.add(
        () -> {
          if (hasQuorum) {
            answer.complete(new Reading(revision, List.copyOf(keys.values())));
          } else {
            answer.completeExceptionally(new EtcdException("no quorum", null));
          }
        });
    return answer;
  }

  private static Item item(String key, String value, long revision) {
    return new Item(key, value, revision, revision, 0);
  }

  private void put(String key, String value) {
    keys.put(key, item(key, value, ++revision));
  }

  private void open() {
    range.refresh();
    answers.remove().run();
  }

  private OpenWatch watch() {
    return watches.get(watches.size() - 1);
  }

  private String value(String key) {
    Item item = range.get(key);
    return item == null ? null : item.value();
  }

  private List<String> takeEvents() {
    List<String> taken = List.copyOf(events);
    events.clear();
    return taken;
  }

  @Test
  void keys_areReadOnce_andThenFollowed() {
    put("k/a", "1");
    range.refresh();
    assertFalse(range.isKnown(), "not read yet");
    range.tick();
    range.refresh();
    assertEquals(1, readings, "one reading at a time");
    answers.remove().run();
    assertTrue(range.isKnown());
    assertEquals(List.of("all"), takeEvents());
    assertEquals(7, watch().from);
    watch().watcher.changed(item("k/a", "2", 7));
    watch().watcher.changed(item("k/b", "1", 8));
    assertEquals(List.of("k/a", "k/b"), takeEvents());
    assertEquals("2", value("k/a"));
    assertEquals(8, range.revision());
    assertEquals(new Condition("k/b", 8), range.unchanged("k/b"));
    assertEquals(new Condition("k/c", 0), range.unchanged("k/c"));
    assertEquals(List.of("k/a", "k/b"), range.all().stream().map(Item::key).toList());
  }

  @Test
  void changesSinceARevision_areFollowedWithoutAReading() {
    range.follow(41);
    assertEquals(0, readings);
    assertEquals(42, watch().from);
    watch().watcher.deleted("k/a", 43);
    assertEquals(List.of("k/a"), takeEvents());
    assertNull(value("k/a"));
    assertEquals(43, range.revision());
  }

  @Test
  void lostWatch_isReplacedByAReading_andItsLateEventsAreNotHeeded() {
    put("k/a", "1");
    open();
    OpenWatch first = watch();
    first.watcher.lost();
    assertFalse(range.isKnown());
    first.watcher.changed(item("k/a", "late", 90));
    put("k/a", "2");
    answers.remove().run();
    assertEquals(List.of("all", "all"), takeEvents());
    assertEquals("2", value("k/a"));
    first.watcher.changed(item("k/a", "late", 91));
    first.watcher.lost();
    assertEquals("2", value("k/a"));
    assertEquals(1, readings - 1, "no further reading");
  }

  @Test
  void compactedRevision_leadsToTheStateNow_deletedKeysIncluded() {
    put("k/a", "1");
    put("k/b", "1");
    open();
    keys.remove("k/a");
    put("k/c", "1");
    revision = 1_000;
    watch().watcher.lost();
    answers.remove().run();
    assertEquals(List.of("all", "all"), takeEvents());
    assertNull(value("k/a"));
    assertEquals("1", value("k/c"));
    assertEquals(1_001, watch().from);
  }

  @Test
  void readingThatFails_isRepeated_untilItIsClosed() {
    hasQuorum = false;
    open();
    assertEquals(List.of(), takeEvents());
    assertEquals(0, watches.size());
    range.tick();
    answers.remove().run();
    assertEquals(2, readings);
    range.tick();
    range.close();
    hasQuorum = true;
    answers.remove().run();
    range.tick();
    assertEquals(3, readings);
    assertEquals(List.of(), takeEvents());
    assertEquals(0, watches.size());
  }

  @Test
  void watch_endsWhenItIsClosed() {
    open();
    range.close();
    assertTrue(watch().isClosed);
    range.follow(9);
    assertEquals(1, watches.size());
  }

  @Test
  void keyThatIsDeleted_andMadeAgain_isThere() {
    put("k/a", "1");
    open();
    takeEvents();
    watch().watcher.deleted("k/a", 7);
    assertNull(value("k/a"));
    watch().watcher.changed(item("k/a", "2", 8));
    assertEquals("2", value("k/a"));
    assertEquals(List.of("k/a", "k/a"), takeEvents());
    watch().watcher.changed(item("k/a", "1", 6));
    assertEquals(List.of(), takeEvents(), "an older change is none");
    assertEquals("2", value("k/a"));
  }

  @Test
  void restoredEtcd_isReported() {
    revision = 50;
    put("k/a", "new");
    open();
    takeEvents();
    revision = 20;
    keys.put("k/a", item("k/a", "old", 19));
    watch().watcher.lost();
    answers.remove().run();
    assertEquals(List.of("back"), takeEvents());
    assertEquals("old", value("k/a"));
    assertEquals(20, range.revision());
  }

  @Test
  void listenerThatThrows_hearsOfTheNextChange() {
    throwsAtEach = true;
    open();
    watch().watcher.changed(item("k/a", "1", 6));
    watch().watcher.deleted("k/a", 7);
    assertEquals(List.of("all", "k/a", "k/a"), takeEvents());
    assertEquals(7, range.revision());
  }

  @Test
  void failedTransaction_isNewerThanTheWatch() {
    put("k/a", "1");
    put("k/b", "1");
    open();
    takeEvents();
    List<Condition> conditions =
        List.of(
            new Condition("k/a", 1),
            new Condition("k/b", 1),
            new Condition("k/c", 1),
            new Condition("other/a", 1));
    range.learn(
        new Outcome(false, 12, List.of(item("k/a", "2", 11), item("other/a", "1", 3))), conditions);
    assertEquals(List.of("k/a", "k/b"), takeEvents());
    assertEquals("2", value("k/a"));
    assertNull(value("k/b"));
    assertNull(value("other/a"));

    // the watch catches up
    watch().watcher.deleted("k/a", 8);
    watch().watcher.changed(item("k/b", "stale", 9));
    assertEquals("2", value("k/a"));
    assertNull(value("k/b"));
    watch().watcher.deleted("k/b", 10);
    watch().watcher.changed(item("k/a", "2", 11));
    watch().watcher.changed(item("k/b", "again", 13));
    assertEquals("again", value("k/b"));

    range.learn(new Outcome(false, 12, List.of()), List.of(new Condition("k/b", 1)));
    assertEquals("again", value("k/b"), "an older transaction");
  }

  @Test
  void eventAfterTheControllersEnd_hasNoEffect() {
    List<Watcher> opened = new ArrayList<>();
    MirroredRange ended =
        new MirroredRange(
            Stub.of(Etcd.class)
                .on(
                    "watch",
                    with -> {
                      opened.add((Watcher) with[2]);
                      return Stub.of(Watch.class).make();
                    })
                .make(),
            "k/",
            task -> {
              throw new RejectedExecutionException();
            },
            Stub.of(MirroredRange.Listener.class).make());
    ended.follow(1);
    opened.get(0).changed(item("k/a", "1", 2));
    assertNull(ended.get("k/a"));
  }
}
