package io.malob.endhost;

import io.malob.openflow.packet.Replies;
import io.malob.openflow.uplink.FlowKey;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Resets connections of applications at once, even of applications that only receive: a segment
 * within the connection makes the host acknowledge its expected sequence number (RFC 9293, section
 * 3.10.7.4), and the reset answers this.
 *
 * <p>If the connection may move, the first segment is an ACK, which a connection that is still
 * being opened survives: the host rejects the ACK and retransmits its SYN, Linux at once, which
 * goes over another uplink. Other segments are SYNs (RFC 5961, section 4): a firewall on the host
 * may drop an ACK out of the window.
 *
 * <p>{@link #answered} may be called by any thread, the rest by one at a time.
 */
final class Resets {
  /** The interval between calls of {@link #goOn} while it returns true. */
  static final long TICK_MILLIS = 50;

  /** 4,000 connections a second. */
  private static final int BATCH = 200;

  /** The switch may use removed rules a moment longer. */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  /** Linux answers once in half a second (tcp_invalid_ratelimit). */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  private static final int TRIES = 3;

  private final FlowSender sender;
  private final Set<FlowKey> waiting = ConcurrentHashMap.newKeySet();
  private final Queue<Try> tries = new ArrayDeque<>();

  private record Try(FlowKey key, int number, boolean isAck, long dueNanos) {}

  Resets(FlowSender sender) {
    this.sender = sender;
  }

  /**
   * Starts the reset of a connection whose rules were removed.
   *
   * @param mayMove whether it may move to another uplink if it is still being opened
   */
  void begin(FlowKey key, boolean mayMove, long nowNanos) {
    if (waiting.add(key)) {
      tries.add(new Try(key, 1, mayMove, nowNanos + SETTLE_NANOS));
    }
  }

  /** The application's host has been reset. */
  void answered(FlowKey key) {
    waiting.remove(key);
  }

  /** Continues with those that are due; returns whether some are left. */
  boolean goOn(Wiring wiring, OpenFlows flows, long nowNanos) {
    Queue<Try> again = new ArrayDeque<>();
    int sent = 0;
    for (Iterator<Try> each = tries.iterator(); each.hasNext() && sent < BATCH; ) {
      Try next = each.next();
      if (nowNanos - next.dueNanos < 0) {
        continue;
      }
      each.remove();
      if (flows.find(next.key) != null) {
        waiting.remove(next.key); // a new connection has the port
      } else if (waiting.contains(next.key)) {
        sender.provoke(wiring, next.key, next.isAck ? Replies::tcpAck : Replies::tcpSyn);
        sent++;
        retry(next, again, nowNanos);
      }
    }
    tries.addAll(again);
    return !tries.isEmpty();
  }

  private void retry(Try done, Queue<Try> again, long nowNanos) {
    if (done.number < TRIES) {
      again.add(new Try(done.key, done.number + 1, false, nowNanos + AGAIN_NANOS));
    } else {
      waiting.remove(done.key);
    }
  }
}
