package io.malob.controller.channel;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFPacketIn;

/**
 * The latest packet-ins of hosts that a standby has got from a switch. If it becomes the master,
 * the former one may have ended, or have lost the switch, without handling them: their hosts would
 * repeat them after a second. For one thread.
 */
final class RecentPackets {
  /** Longer than a standby usually takes to notice that the master has ended. */
  static final long AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * If the master hands on its packet-ins: what may still be in its queue when it becomes a slave.
   */
  static final long HAND_OVER_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * While nothing is heard of the master. Linux repeats a SYN every second at first: so one of each
   * new connection is here.
   */
  static final long SILENCE_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);

  /** How long a master that was silent once is taken for gone: longer than its lease lasts. */
  static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final int MAX_PACKETS = 2_048;

  private final ArrayDeque<Recent> packets = new ArrayDeque<>();

  private boolean isSilent;
  private boolean isHandedOver;
  private long silenceEndNanos;

  private record Recent(OFPacketIn packetIn, long nanos) {}

  /** Nothing is heard of the master: keeps packet-ins longer for some time from now. */
  void beginSilence(long nowNanos) {
    isSilent = true;
    silenceEndNanos = nowNanos + SILENCE_NANOS;
  }

  /** The master hands on what it gets. */
  void beginHandOver() {
    isHandedOver = true;
  }

  /** The switch has a master. */
  void settle() {
    isSilent = false;
    isHandedOver = false;
  }

  /** Adds one, and forgets old ones. */
  void add(OFPacketIn packetIn, long nowNanos) {
    forgetOld(nowNanos);
    if (packets.size() == MAX_PACKETS) {
      packets.removeFirst();
    }
    packets.addLast(new Recent(packetIn, nowNanos));
  }

  /** Gives all away, in the order in which they came. */
  void drainTo(Consumer<OFPacketIn> taker, long nowNanos) {
    forgetOld(nowNanos);
    packets.forEach(recent -> taker.accept(recent.packetIn));
    packets.clear();
  }

  private void forgetOld(long nowNanos) {
    isSilent &= nowNanos - silenceEndNanos < 0;
    while (!packets.isEmpty() && nowNanos - packets.getFirst().nanos > maxAgeNanos()) {
      packets.removeFirst();
    }
  }

  private long maxAgeNanos() {
    if (isHandedOver) {
      return HAND_OVER_AGE_NANOS;
    }
    return isSilent ? SILENCE_AGE_NANOS : AGE_NANOS;
  }
}
