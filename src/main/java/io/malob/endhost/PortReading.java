package io.malob.endhost;

import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;

/**
 * The counters of a port at one moment. Immutable.
 *
 * @param receivedBits of IP packets, that is without Ethernet headers
 * @param sentBits the same, sent
 * @param atNanos when it was read
 */
record PortReading(long receivedBits, long sentBits, long atNanos) {
  private static final long ETHERNET_BYTES = 14;

  /** From a switch's statistics. */
  static PortReading of(OFPortStatsEntry entry, long atNanos) {
    return new PortReading(
        bits(entry.getRxBytes().getValue(), entry.getRxPackets().getValue()),
        bits(entry.getTxBytes().getValue(), entry.getTxPackets().getValue()),
        atNanos);
  }

  private static long bits(long bytes, long packets) {
    return 8 * (bytes - ETHERNET_BYTES * packets);
  }

  /** Whether it is a later reading of the same port. */
  boolean follows(PortReading before) {
    return receivedBits >= before.receivedBits
        && sentBits >= before.sentBits
        && atNanos > before.atNanos;
  }

  /** Received since then, in bit/s. */
  double receivedBps(PortReading before) {
    return (receivedBits - before.receivedBits) * 1e9 / (atNanos - before.atNanos);
  }

  /** Sent since then, in bit/s. */
  double sentBps(PortReading before) {
    return (sentBits - before.sentBits) * 1e9 / (atNanos - before.atNanos);
  }
}
