package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.types.U64;

class PortReadingTest {
  private static OFPortStatsEntry entry(long rxBytes, long rxPackets, long txBytes) {
    return UplinkLab.OF
        .buildPortStatsEntry()
        .setRxBytes(U64.of(rxBytes))
        .setRxPackets(U64.of(rxPackets))
        .setTxBytes(U64.of(txBytes))
        .build();
  }

  @Test
  void rates_countIpPacketsWithoutEthernetHeaders() {
    PortReading before = PortReading.of(entry(1_000, 10, 50), 0);
    PortReading now = PortReading.of(entry(1_000 + 1_514, 11, 50 + 250), 500_000_000);
    assertEquals(1_500 * 8 * 2, now.receivedBps(before));
    assertEquals(250 * 8 * 2, now.sentBps(before));
  }

  @Test
  void readingOfCountersThatBeganAnew_followsNothing() {
    PortReading before = PortReading.of(entry(1_000, 10, 50), 0);
    assertTrue(PortReading.of(entry(1_000, 10, 50), 1).follows(before));
    assertFalse(PortReading.of(entry(10, 0, 50), 1).follows(before));
    assertFalse(PortReading.of(entry(2_000, 11, 60), 0).follows(before));
  }
}
