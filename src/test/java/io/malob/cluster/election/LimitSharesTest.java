package io.malob.cluster.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LimitSharesTest {
  private static LimitShares agreed(String name, Set<String> masters) {
    LimitShares shares = new LimitShares(name);
    shares.masters(masters);
    shares.acknowledgements(Map.of(name, masters));
    return shares;
  }

  @Test
  void limit_isDividedEvenly_andTheFirstGetTheRest() {
    Set<String> masters = Set.of("c", "a", "b");
    assertEquals(4, agreed("a", masters).of(11));
    assertEquals(4, agreed("b", masters).of(11));
    assertEquals(3, agreed("c", masters).of(11));
    assertEquals(0, agreed("b", masters).of(1));
    assertEquals(0, agreed("d", masters).of(11));
    assertEquals(Integer.MAX_VALUE, agreed("a", Set.of("a")).of(Integer.MAX_VALUE));
  }

  @Test
  void decrease_isImmediate_increaseWaitsForAll() {
    LimitShares a = agreed("a", Set.of("a"));
    a.masters(Set.of("a", "b"));
    assertEquals(5, a.of(10));
    a.masters(Set.of("a"));
    assertEquals(5, a.of(10), "b may have its part");
    a.acknowledgements(Map.of("a", Set.of("a"), "b", Set.of("a", "b")));
    assertEquals(5, a.of(10));
    a.acknowledgements(Map.of("a", Set.of("a"), "b", Set.of("a")));
    assertEquals(10, a.of(10));
  }

  @Test
  void withoutAgreement_thereIsNoPart() {
    LimitShares a = new LimitShares("a");
    a.masters(Set.of("a"));
    assertEquals(0, a.of(10));
    a.acknowledgements(Map.of());
    assertEquals(0, a.of(10), "its own key is not there yet");
  }

  @Test
  void manySets_withoutAgreement_areBounded() {
    LimitShares a = agreed("a", Set.of("a"));
    for (int i = 0; i < 1_000; i++) {
      a.masters(i % 2 == 0 ? Set.of("a", "b" + i) : Set.of("a"));
    }
    assertEquals(5, a.of(10), "equal parts are kept once");
  }

  /** Controllers that publish and learn late; the state of etcd is what they see, in order. */
  private static final class Simulation {
    final Random random;
    final Map<String, LimitShares> controllers = new LinkedHashMap<>();

    /** What etcd has: the masters, and the sets that live controllers have acknowledged. */
    private record State(
        ImmutableSet<String> masters, ImmutableMap<String, ImmutableSet<String>> acknowledged) {}

    private State etcd = new State(ImmutableSet.of(), ImmutableMap.of());
    private final Map<String, ArrayDeque<State>> underWay = new LinkedHashMap<>();

    Simulation(int seed) {
      random = new Random(seed);
    }

    void run() {
      for (int step = 0; step < 300; step++) {
        int choice = random.nextInt(10);
        if (choice == 0) {
          change(new State(someNames(), etcd.acknowledged()));
        } else if (choice == 1 && !controllers.isEmpty()) {
          end(anyController());
        } else if (choice == 2) {
          controllers.computeIfAbsent(anyName(), this::start);
        } else if (!controllers.isEmpty()) {
          String name = anyController();
          learn(name);
          if (random.nextBoolean()) {
            publish(name);
          }
        }
        check();
      }
      settle();
    }

    private LimitShares start(String name) {
      underWay.put(name, new ArrayDeque<>(List.of(etcd)));
      return new LimitShares(name);
    }

    /** A process that has ended places nothing more. */
    private void end(String name) {
      controllers.remove(name);
      underWay.remove(name);
      Map<String, ImmutableSet<String>> rest = new LinkedHashMap<>(etcd.acknowledged());
      rest.remove(name);
      change(new State(etcd.masters(), ImmutableMap.copyOf(rest)));
    }

    private void change(State now) {
      etcd = now;
      underWay.values().forEach(queue -> queue.add(now));
    }

    private void learn(String name) {
      State seen = underWay.get(name).poll();
      if (seen != null) {
        LimitShares shares = controllers.get(name);
        shares.masters(seen.masters());
        shares.acknowledgements(seen.acknowledged());
      }
    }

    private void publish(String name) {
      Map<String, ImmutableSet<String>> all = new LinkedHashMap<>(etcd.acknowledged());
      all.put(name, controllers.get(name).acknowledged());
      change(new State(etcd.masters(), ImmutableMap.copyOf(all)));
    }

    private void check() {
      for (int limit : new int[] {1, 7, 100}) {
        int sum = controllers.values().stream().mapToInt(shares -> shares.of(limit)).sum();
        assertTrue(sum <= limit, sum + " of " + limit);
      }
    }

    /** Without further changes, the whole limit is in use. */
    private void settle() {
      controllers.computeIfAbsent("a", this::start);
      change(new State(ImmutableSet.copyOf(controllers.keySet()), etcd.acknowledged()));
      for (int round = 0; round < 3; round++) {
        for (String name : new ArrayList<>(controllers.keySet())) {
          while (!underWay.get(name).isEmpty()) {
            learn(name);
          }
          publish(name);
        }
        check();
      }
      for (String name : controllers.keySet()) {
        while (!underWay.get(name).isEmpty()) {
          learn(name);
        }
      }
      assertEquals(100, controllers.values().stream().mapToInt(each -> each.of(100)).sum());
    }

    private String anyName() {
      return List.of("a", "b", "c", "d").get(random.nextInt(4));
    }

    private String anyController() {
      return List.copyOf(controllers.keySet()).get(random.nextInt(controllers.size()));
    }

    private ImmutableSet<String> someNames() {
      return List.of("a", "b", "c", "d").stream()
          .filter(any -> random.nextBoolean())
          .collect(ImmutableSet.toImmutableSet());
    }
  }

  @Test
  void parts_neverExceedALimit_whateverControllersLearnAndWhen() {
    for (int seed = 0; seed < 2_000; seed++) {
      try {
        new Simulation(seed).run();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }
}
