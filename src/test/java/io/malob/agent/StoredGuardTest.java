package io.malob.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.state.report.ReplayGuard;
import io.malob.state.report.ReplayGuard.Memory;
import io.malob.store.MemoryStore;
import io.malob.store.Store;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The guards of two controllers, which share a document. */
class StoredGuardTest {
  private final Store store = new MemoryStore(Runnable::run);
  private final List<Map<String, Memory>> saved = new ArrayList<>();

  private StoredGuard guard() throws IOException {
    return new StoredGuard(store);
  }

  private void watch() throws IOException {
    Store.Watch unused =
        store.watch(
            StoredGuard.DOCUMENT,
            store.read(StoredGuard.DOCUMENT),
            now -> saved.add(now.content().orElseThrow()));
  }

  private static Memory memory(long sequence) {
    return new Memory("run", sequence, 1000, ImmutableList.of("earlier"));
  }

  @Test
  void reportsOfAllAgents_areOneWrite_andAllControllersLearnThem() throws Exception {
    watch();
    StoredGuard left = guard();
    StoredGuard right = guard();
    Map<String, Memory> learnt = new TreeMap<>();
    left.follow((agent, memory) -> {});
    right.follow(learnt::put);
    left.save(Map.of("a", memory(1), "b", memory(1)));
    left.save(Map.of("a", memory(1), "b", memory(2)));
    left.save(Map.of("a", memory(1), "b", memory(2)));
    right.save(learnt);
    assertEquals(
        List.of(Map.of("a", memory(1), "b", memory(1)), Map.of("a", memory(1), "b", memory(2))),
        saved);
    assertEquals(Map.of("a", memory(1), "b", memory(2)), learnt);
    assertEquals(learnt, guard().get(), "a controller that starts");
  }

  /** A write is based on what another one has written, also if the watch has not told it yet. */
  @Test
  void laterReport_isKept_whicheverControllerWritesLast() throws Exception {
    StoredGuard left = guard();
    StoredGuard right = guard();
    left.save(Map.of("a", memory(9), "b", memory(1)));
    right.save(Map.of("a", memory(2), "b", memory(5)));
    assertEquals(Map.of("a", memory(9), "b", memory(5)), guard().get());
  }

  /** Both save at a time, and the watch tells one of them only after its own attempt. */
  @Test
  void reportOfAnother_isLearnt_alsoAfterAnAttemptToSave() throws Exception {
    Queue<Runnable> calls = new ArrayDeque<>();
    Store slow = new MemoryStore(calls::add);
    StoredGuard left = new StoredGuard(slow);
    StoredGuard right = new StoredGuard(slow);
    Map<String, Memory> learnt = new TreeMap<>();
    right.follow(learnt::put);
    left.save(Map.of("a", memory(9)));
    right.save(Map.of("a", memory(2)));
    while (!calls.isEmpty()) {
      calls.remove().run();
    }
    assertEquals(Map.of("a", memory(9)), learnt);
  }

  @Test
  void agentThatIsRemoved_isForgotten() throws Exception {
    StoredGuard left = guard();
    left.save(Map.of("a", memory(1), "b", memory(1)));
    left.save(Map.of("b", memory(1)));
    assertEquals(Map.of("b", memory(1)), guard().get());
  }

  /** As a controller that takes over: it has heard nothing itself. */
  @Test
  void replay_atAnotherController_isNotLaterThanItsMemory() {
    ReplayGuard standby = new ReplayGuard(Map.of("a", memory(3)), 0);
    standby.learn("a", memory(7), 0);
    standby.learn("a", memory(5), 0);
    assertEquals(memory(7), standby.memory().get("a"));
    Memory next = new Memory("next", 1, 900, ImmutableList.of("earlier", "run"));
    standby.learn("a", next, 0);
    standby.learn("a", memory(9), 0);
    assertEquals(next, standby.memory().get("a"), "the earlier run is over");
  }
}
