package io.malob.cluster.peer;

import java.util.concurrent.atomic.LongAdder;

/** Counts what all streams of this controller carry. Thread-safe. */
final class PeerCounters {
  final LongAdder sentMessages = new LongAdder();
  final LongAdder sentBytes = new LongAdder();
  final LongAdder receivedMessages = new LongAdder();
  final LongAdder receivedBytes = new LongAdder();
}
