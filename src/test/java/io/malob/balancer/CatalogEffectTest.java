package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.api.IBalancerService.CatalogEffect;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is said of a change while the one thread that puts changes in force is busy. */
class CatalogEffectTest {
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean blocked;

  private final BalancerNetwork network =
      new BalancerNetwork(
          Map.of(),
          new BalancerNetwork.Transport() {
            @Override
            public void toUpkeep(Runnable task) {
              if (blocked) {
                tasks.add(task);
              } else {
                task.run();
              }
            }
          },
          new AtomicLong());

  private void makeVip(String id, String address) throws Exception {
    network.module.catalog().create(Catalog.VIPS, Fields.of("id", id, "address", address));
  }

  @Test
  void change_whileTheWriterIsBlocked_isPendingUntilItIsApplied() throws Exception {
    makeVip("first", "10.0.0.100");
    assertEquals(CatalogEffect.IN_FORCE, network.module.catalogEffect());
    blocked = true;
    makeVip("second", "10.0.0.101");
    assertEquals(CatalogEffect.PENDING, network.module.catalogEffect());
    blocked = false;
    while (!tasks.isEmpty()) {
      tasks.poll().run();
    }
    assertEquals(CatalogEffect.IN_FORCE, network.module.catalogEffect());
  }
}
