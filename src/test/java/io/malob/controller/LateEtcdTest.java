package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.module.ModuleSettings;
import io.malob.testing.EtcdServer;
import io.malob.testing.LogLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A controller that starts before etcd answers. */
@Timeout(60)
class LateEtcdTest {
  private static final String CLUSTER = "io.malob.cluster.ClusterModule.";

  @TempDir private Path directory;
  private EtcdServer server;

  @BeforeEach
  void stopEtcd() throws Exception {
    EtcdServer.assumeInstalled();
    server = EtcdServer.start(directory);
    server.kill();
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private EmbeddedController start(int maxSeconds) throws Exception {
    return EmbeddedController.start(
        ModuleSettings.parse(
                "floodlight.modules=io.malob.controller.staticentries.StaticEntriesModule")
            .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
            .overlaidWith(
                Map.of(
                    CLUSTER + "endpoints",
                    server.endpoint().toString(),
                    CLUSTER + "name",
                    "left",
                    CLUSTER + "startSeconds",
                    "" + maxSeconds)));
  }

  private static LogLines log() throws ClassNotFoundException {
    return LogLines.of(Class.forName("io.malob.cluster.StartWait"));
  }

  @Test
  void etcdThatStartsLater_isAwaited() throws Exception {
    try (LogLines log = log()) {
      CompletableFuture<Void> etcd =
          CompletableFuture.runAsync(
              () -> {
                try {
                  while (log.lines().isEmpty()) {
                    Thread.sleep(20);
                  }
                  server.restart();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      try (EmbeddedController controller = start(60)) {
        assertTrue(controller.openFlowPort() > 0);
      }
      etcd.join();
      List<String> events = log.takeEvents();
      assertEquals(2, events.size(), events::toString);
      String waiting =
          "etcd_awaited etcd=\"%s\" max_seconds=60 why=\"etcd has no quorum or cannot be reached"
              .formatted(server.endpoint());
      assertTrue(events.get(0).startsWith(waiting), events.get(0));
      assertTrue(events.get(1).matches("etcd_answers seconds=([1-9]|[1-5][0-9])"), events.get(1));
    }
  }

  @Test
  void etcdThatDoesNotStart_endsTheStart_afterTheMaxTime() throws Exception {
    try (LogLines log = log()) {
      String why = assertThrows(FloodlightModuleException.class, () -> start(4)).getMessage();
      String expected =
          "The static entries cannot be read: etcd has no quorum or cannot be reached ("
              + server.endpoint();
      assertTrue(why.startsWith(expected), why);
      assertEquals(1, log.lines().size());
    }
  }
}
