package io.malob.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.state.report.ReplayGuard;
import io.malob.state.report.ReplayGuard.Memory;
import io.malob.store.Folder;
import io.malob.store.MemoryStore;
import io.malob.store.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The guards of two controllers, which share a folder. */
class SharedGuardTest {
  private final Store store = new MemoryStore(Runnable::run);
  private final Map<String, String> values = new TreeMap<>();
  private final List<BiConsumer<String, Optional<String>>> listeners = new ArrayList<>();
  private final List<Set<String>> puts = new ArrayList<>();

  private final class SharedFolder implements Folder {
    @Override
    public Map<String, String> open(BiConsumer<String, Optional<String>> changed) {
      listeners.add(changed);
      return new TreeMap<>(values);
    }

    @Override
    public Set<String> put(Map<String, Optional<String>> more) {
      puts.add(Set.copyOf(more.keySet()));
      more.forEach(
          (name, value) -> {
            value.ifPresentOrElse(text -> values.put(name, text), () -> values.remove(name));
            listeners.forEach(listener -> listener.accept(name, value));
          });
      return Set.copyOf(more.keySet());
    }
  }

  private SharedGuard guard() throws IOException {
    return new SharedGuard(new SharedFolder(), store);
  }

  private static Memory memory(long sequence) {
    return new Memory("run", sequence, 1000, ImmutableList.of("earlier"));
  }

  @Test
  void onlyAgentsThatHaveReported_areWritten_andAllControllersLearnThem() throws Exception {
    SharedGuard left = guard();
    SharedGuard right = guard();
    Map<String, Memory> learnt = new TreeMap<>();
    right.follow(learnt::put);
    left.save(Map.of("a", memory(1), "b", memory(1)));
    left.save(Map.of("a", memory(1), "b", memory(2)));
    left.save(Map.of("a", memory(1), "b", memory(2)));
    right.save(learnt);
    assertEquals(List.of(Set.of("a", "b"), Set.of("b")), puts);
    assertEquals(Map.of("a", memory(1), "b", memory(2)), learnt);
    assertEquals(learnt, guard().get(), "a controller that starts");
  }

  @Test
  void agentThatIsRemoved_hasNoKey() throws Exception {
    SharedGuard left = guard();
    left.save(Map.of("a", memory(1), "b", memory(1)));
    left.forget(Set.of("a", "unknown"));
    assertEquals(Set.of("b"), values.keySet());
  }

  @Test
  void documentOfAnEarlierVersion_isMerged() throws Exception {
    Map<String, Memory> former = Map.of("a", memory(5), "b", memory(5));
    store.compareAndSet(
        StoredGuard.DOCUMENT, store.read(StoredGuard.DOCUMENT), Optional.of(former));
    guard().save(Map.of("b", memory(9)));
    assertEquals(Map.of("a", memory(5), "b", memory(9)), guard().get());
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
