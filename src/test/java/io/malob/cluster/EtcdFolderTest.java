package io.malob.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EtcdFolderTest {
  private final Etcd etcd = mock(Etcd.class);
  private final AutoCloseable watch = mock(AutoCloseable.class);
  private final AtomicInteger readings = new AtomicInteger();
  private final EtcdFolder folder = new EtcdFolder(etcd, "cluster", Runnable::run, 1);

  private EtcdFolder opened() throws Exception {
    when(etcd.watch(any(), anyLong(), any())).thenReturn(watch);
    when(etcd.read(any()))
        .thenReturn(CompletableFuture.completedFuture(new Etcd.Reading(7, List.of())))
        .thenAnswer(
            call -> {
              readings.incrementAndGet();
              return CompletableFuture.failedFuture(new EtcdException("no quorum", null));
            });
    assertEquals(Map.of(), folder.open((name, value) -> {}));
    return folder;
  }

  @Test
  void readingThatFails_isRepeated_untilItIsClosed() throws Exception {
    opened().lost();
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (readings.get() < 3 && System.nanoTime() < deadline) {
      Thread.sleep(1);
    }
    assertTrue(readings.get() >= 3, "it is repeated");
    folder.close();
    Thread.sleep(50); // one may be under way
    int atEnd = readings.get();
    Thread.sleep(100);
    assertEquals(atEnd, readings.get());
  }

  @Test
  void watch_endsWhenItIsClosed() throws Exception {
    opened().close();
    verify(watch).close();
  }
}
