package io.malob.controller.channel;

import io.malob.module.IPacketInQueueService;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPacketIn;

/**
 * The pending packet-ins of one switch, with a queue for each class: the queues take turns, so that
 * a long queue delays only itself (fair queueing; J. Nagle, RFC 970). Bounded by bytes: if there is
 * no more room, the longest queue drops its last packet-in. For one thread.
 */
final class FairQueue {
  /** The approximate memory of a message besides its frame. */
  private static final int OVERHEAD_BYTES = 256;

  /** The number of drops of a queue between two notifications. */
  static final int COUNTED_TOGETHER = 64;

  private final int maxBytes;
  private final Drops drops;
  private final ArrayDeque<Line> turns = new ArrayDeque<>();
  private final IntObjectMap<Line> lines = new IntObjectHashMap<>();
  private int bytes;

  /**
   * An empty queue.
   *
   * @param maxBytes the max size, in bytes of memory
   * @param drops the listener for drops
   */
  FairQueue(int maxBytes, Drops drops) {
    this.maxBytes = maxBytes;
    this.drops = drops;
  }

  /** Listener for drops. */
  interface Drops {
    /** Returns the counter of drops of a class. */
    LongAdder countOf(int classNumber);

    /** Reports the number of drops of a class since the last call; the given one is the last. */
    void dropped(int classNumber, OFPacketIn one, int count);
  }

  private static final class Line {
    private final ArrayDeque<OFPacketIn> waiting = new ArrayDeque<>();
    private final int classNumber;
    private final LongAdder dropped;
    private int untold;
    private int bytes;

    Line(int classNumber, LongAdder dropped) {
      this.classNumber = classNumber;
      this.dropped = dropped;
    }
  }

  /** Appends a packet-in to the queue of its class, or drops it or another one. */
  void add(int classNumber, OFPacketIn packetIn) {
    Line line = line(classNumber);
    int size = sizeOf(packetIn);
    while (bytes + size > maxBytes) {
      Line longest = longest(line);
      if (longest == line) {
        countDropped(line, packetIn);
        return;
      }
      OFPacketIn last = longest.waiting.removeLast();
      leave(longest, last);
      countDropped(longest, last);
      if (longest.waiting.isEmpty()) {
        turns.remove(longest);
      }
    }
    if (line.waiting.isEmpty()) {
      begin(line);
    }
    line.waiting.add(packetIn);
    line.bytes += size;
    bytes += size;
  }

  private void countDropped(Line line, OFPacketIn packetIn) {
    line.dropped.increment();
    if (++line.untold == COUNTED_TOGETHER) {
      line.untold = 0;
      drops.dropped(line.classNumber, packetIn, COUNTED_TOGETHER);
    }
  }

  private void begin(Line line) {
    if (line.classNumber == IPacketInQueueService.FIRST) {
      turns.addFirst(line);
    } else {
      turns.addLast(line);
    }
  }

  /** Removes the next packet-in; null if there is none. */
  @Nullable OFPacketIn poll() {
    @Nullable Line line = turns.poll();
    if (line == null) {
      return null;
    }
    OFPacketIn next = line.waiting.remove();
    leave(line, next);
    if (!line.waiting.isEmpty()) {
      turns.addLast(line); // also the first queue: a flood of it must not stop the others
    }
    return next;
  }

  boolean isEmpty() {
    return bytes == 0;
  }

  private void leave(Line line, OFPacketIn packetIn) {
    int size = sizeOf(packetIn);
    line.bytes -= size;
    bytes -= size;
  }

  private static int sizeOf(OFPacketIn packetIn) {
    return packetIn.getData().length + OVERHEAD_BYTES;
  }

  /** The longest queue; the given one if no other is longer. */
  private Line longest(Line line) {
    Line longest = line;
    for (Line each : turns) {
      if (each.bytes > longest.bytes) {
        longest = each;
      }
    }
    return longest;
  }

  private Line line(int classNumber) {
    @Nullable Line line = lines.get(classNumber);
    if (line == null) {
      line = new Line(classNumber, drops.countOf(classNumber));
      lines.put(classNumber, line);
    }
    return line;
  }
}
