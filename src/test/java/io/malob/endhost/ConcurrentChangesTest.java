package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Changes that are requested while another one is being made. */
@Timeout(60)
class ConcurrentChangesTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final IPv4Address OTHER_ADDRESS = IPv4Address.of("10.0.1.77");

  private HostOnASwitch host;

  @BeforeEach
  void start() throws Exception {
    host = new HostOnASwitch().configured();
  }

  @Test
  void configuration_duringClear_isAppliedAfterIt() throws Exception {
    FutureTask<Boolean> clear = started(host.module::clear);
    while (isConfigured()) {
      Thread.onSpinWait();
    }
    assertEquals(
        true,
        host.module
            .configure(HostOnASwitch.configuration("RR", "\"10.0.1.2\"", "\"10.0.2.2\""))
            .get("configured"));
    assertTrue(clear.get());
    assertEquals(0, host.opens(40_000, SERVER));
    assertEquals(2, host.flowRules());
  }

  @Test
  void clear_duringClear_findsNothingLeft() throws Exception {
    FutureTask<Boolean> first = started(host.module::clear);
    while (isConfigured()) {
      Thread.onSpinWait();
    }
    assertFalse(host.module.clear());
    assertEquals(List.of(), host.table.rules(0), "it answers once all is cleared");
    assertTrue(first.get());
  }

  @Test
  void configuration_whileTheAlgorithmChanges_keepsBoth() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch isChanging = new CountDownLatch(1);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    host.uplinks.beforeConfigure =
        () -> {
          if (isFirst.getAndSet(false)) {
            isChanging.countDown();
            awaited(go);
          }
        };
    FutureTask<?> algorithm =
        started(() -> host.module.setAlgorithm(bytes("{\"algorithm\": \"MBW\"}")));
    isChanging.await();
    String withoutAlgorithm =
        new String(
                HostOnASwitch.configuration("RR", "\"" + OTHER_ADDRESS + "\"", "\"10.0.2.2\""),
                StandardCharsets.UTF_8)
            .replace("\"algorithm\": \"RR\",", "");
    FutureTask<?> configuration =
        new FutureTask<>(() -> host.module.configure(bytes(withoutAlgorithm)));
    Thread second = new Thread(configuration);
    second.start();
    while (second.getState() == Thread.State.NEW || second.getState() == Thread.State.RUNNABLE) {
      Thread.onSpinWait();
    }
    go.countDown();
    algorithm.get();
    configuration.get();
    HostNetwork network = host.uplinks.view().orElseThrow().network();
    assertEquals("MBW", network.algorithm());
    assertEquals(Optional.of(OTHER_ADDRESS), network.uplinks().get(0).ipv4());
  }

  @Test
  void algorithm_beforeAConfigurationHasTakenEffect_changesThatOne() throws Exception {
    host.uplinks.isLate = true;
    host.module.configure(
        HostOnASwitch.configuration("RR", "\"" + OTHER_ADDRESS + "\"", "\"10.0.2.2\""));
    host.module.setAlgorithm(bytes("{\"algorithm\": \"MBW\"}"));
    host.uplinks.catchUp();
    HostNetwork network = host.uplinks.view().orElseThrow().network();
    assertEquals("MBW", network.algorithm());
    assertEquals(Optional.of(OTHER_ADDRESS), network.uplinks().get(0).ipv4());
  }

  @Test
  void changeThatIsNotMadeInTime_isNotInForceUntilItIs() throws Exception {
    assertTrue(host.module.isInForce());
    host.hold();
    host.module.setAlgorithm(bytes("{\"algorithm\": \"MBW\"}"));
    assertFalse(host.module.isInForce());
    host.release();
    assertTrue(host.module.isInForce());
  }

  @Test
  void clearThatIsNotDoneInTime_isNotInForceUntilItIs() throws Exception {
    host.hold();
    assertTrue(host.module.clear());
    assertFalse(host.module.isInForce());
    host.release();
    assertTrue(host.module.isInForce());
  }

  private boolean isConfigured() {
    return Boolean.TRUE.equals(host.module.status().get("configured"));
  }

  private static <T> FutureTask<T> started(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(task).start();
    return task;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void awaited(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
