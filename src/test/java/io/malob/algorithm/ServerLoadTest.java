package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ServerLoadTest {
  private static final double UNKNOWN = Double.NaN;

  private final ServerLoad load = new ServerLoad();

  private void open(int connections) {
    IntStream.range(0, connections).forEach(i -> load.opened());
  }

  @Test
  void expectedCpu_isWhatWasReportedAndWhatOneMoreTakes() {
    load.reported(0.3, UNKNOWN);
    assertEquals(0.4, load.expectedCpu(Counting.PLACED_SINCE), 1e-9);
    assertEquals(0.3, load.expectedCpu(Counting.MEASURED_ONLY), 1e-9);
  }

  @Test
  void without_isAsIfConnectionsHadEndedSinceTheReport() {
    open(10);
    load.reported(0.5, 6e6);
    load.reported(0.5, 6e6);
    load.setDirect(2);
    load.setShare(0.5);
    ServerLoad copy = load.without(4);
    IntStream.range(0, 4).forEach(i -> load.closed());

    assertEquals(6, copy.active());
    assertEquals(8, copy.present());
    assertEquals(8, copy.present(Counting.MEASURED_ONLY));
    assertEquals(0.5, copy.share());
    for (Counting counting : Counting.values()) {
      assertEquals(load.expectedCpu(counting), copy.expectedCpu(counting));
      assertEquals(load.expectedWaitNanos(1, counting), copy.expectedWaitNanos(1, counting));
    }
    assertTrue(copy.expectedCpu(Counting.PLACED_SINCE) < 0.5);

    copy.add(5);
    assertEquals(11, copy.active());
    assertEquals(6, load.active());
    assertEquals(0, load.without(7).active());
  }

  @Test
  void expectedCpu_learnsWhatAConnectionTakes() {
    open(4);
    load.reported(0.8, UNKNOWN);
    // four that were there at one report only: perhaps not all of them are in it
    for (int i = 0; i < 40; i++) {
      load.reported(0.8, UNKNOWN);
    }
    assertEquals(1.0, load.expectedCpu(Counting.PLACED_SINCE), 1e-3);
    load.closed();
    load.closed();
    assertEquals(0.6, load.expectedCpu(Counting.PLACED_SINCE), 1e-3);
  }

  @Test
  void expectedCpu_ofAFullServer_growsWithItsConnections() {
    open(2);
    IntStream.range(0, 40).forEach(i -> load.reported(0.8, UNKNOWN));
    open(8);
    IntStream.range(0, 40).forEach(i -> load.reported(1, UNKNOWN));
    // ten of 0.4 each and one more: it has not learnt that ten take no more than two did
    assertEquals(4.4, load.expectedCpu(Counting.PLACED_SINCE), 1e-3);
  }

  @Test
  void expectedCpu_ofUnknownServer_isFull() {
    assertEquals(1.1, load.expectedCpu(Counting.PLACED_SINCE), 1e-9);
    open(3);
    assertEquals(1.4, load.expectedCpu(Counting.PLACED_SINCE), 1e-9);
    assertEquals(1, load.expectedCpu(Counting.MEASURED_ONLY), 1e-9);
  }

  @Test
  void expectedWait_growsWithWhatWasPlacedSinceTheReport() {
    load.reported(UNKNOWN, 2e6);
    assertEquals(2e6, load.expectedWaitNanos(1, Counting.PLACED_SINCE), 1);
    open(3);
    assertEquals(8e6, load.expectedWaitNanos(1, Counting.PLACED_SINCE), 1);
    assertEquals(2e6, load.expectedWaitNanos(1, Counting.MEASURED_ONLY), 1);
    load.reported(UNKNOWN, 8e6);
    load.reported(UNKNOWN, 8e6);
    assertEquals(8e6, load.expectedWaitNanos(1, Counting.PLACED_SINCE), 1);
  }

  @Test
  void expectedWait_whereNoneWasReported_isAMillisecondForEachConnection() {
    open(6);
    assertEquals(3e6, load.expectedWaitNanos(2, Counting.PLACED_SINCE), 1);
    assertEquals(0, load.expectedWaitNanos(2, Counting.MEASURED_ONLY), 1);
    load.reported(UNKNOWN, 5e6);
    load.forgetReport();
    assertEquals(3e6, load.expectedWaitNanos(2, Counting.PLACED_SINCE), 1);
  }

  @Test
  void present_byReportsAlone_isThatOfTheLatest() {
    open(2);
    load.setDirect(3);
    assertEquals(3, load.present(Counting.MEASURED_ONLY));
    load.reported(UNKNOWN, UNKNOWN);
    open(1);
    assertEquals(5, load.present(Counting.MEASURED_ONLY));
    assertEquals(6, load.present(Counting.PLACED_SINCE));
    assertTrue(load.total() == 3);
  }
}
