package io.malob.controller.channel;

import io.malob.module.IPacketInQueueService;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPacketIn;

/**
 * Packet-ins of one switch that wait, with a line for each class: one of each is taken in turn, so
 * that a line that is long makes only itself wait (fair queueing; J. Nagle, RFC 970). Bounded by
 * bytes: when there is no more room, the longest line loses its last. For one thread.
 */
final class FairQueue {
  /** What a message takes beside its frame, about. */
  private static final int OVERHEAD_BYTES = 256;

  /** How many of a line are dropped before that is told again. */
  static final int TOLD_TOGETHER = 64;

  private final int maxBytes;
  private final Drops drops;
  private final ArrayDeque<Line> turns = new ArrayDeque<>();
  private @Nullable Line[] lines = new Line[0];
  private int bytes;

  /**
   * An empty queue.
   *
   * @param maxBytes how much may wait, in bytes of memory
   * @param drops who is told of what is dropped
   */
  FairQueue(int maxBytes, Drops drops) {
    this.maxBytes = maxBytes;
    this.drops = drops;
  }

  /** Is told of what is dropped. */
  interface Drops {
    /** What counts the dropped ones of a class. */
    LongAdder countOf(int classNumber);

    /** So many of a class were dropped since the last time, this one last. */
    void tell(int classNumber, OFPacketIn one, int count);
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

  /** Lets a packet-in wait behind those of its class, or drops it or another one. */
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
    if (++line.untold == TOLD_TOGETHER) {
      line.untold = 0;
      drops.tell(line.classNumber, packetIn, TOLD_TOGETHER);
    }
  }

  private void begin(Line line) {
    if (line.classNumber == IPacketInQueueService.FIRST) {
      turns.addFirst(line);
    } else {
      turns.addLast(line);
    }
  }

  /** Takes the next one out; null if none waits. */
  @Nullable OFPacketIn poll() {
    @Nullable Line line = turns.poll();
    if (line == null) {
      return null;
    }
    OFPacketIn next = line.waiting.remove();
    leave(line, next);
    if (!line.waiting.isEmpty()) {
      turns.addLast(line); // the first line, too: a flood of it must not stop the others
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

  /** The longest line, that one if no other is longer. */
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
    if (classNumber >= lines.length) {
      lines = Arrays.copyOf(lines, classNumber + 1);
    }
    @Nullable Line line = lines[classNumber];
    if (line == null) {
      line = new Line(classNumber, drops.countOf(classNumber));
      lines[classNumber] = line;
    }
    return line;
  }
}
