package io.malob.balancer.admission;

import io.malob.module.IPacketInQueueService;
import io.malob.openflow.FloodRules;
import io.malob.openflow.FlowProgrammer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Has switches drop for a second what floods the controller so fast that reading it alone is a
 * burden. Every second the flood is let in again until it has shown itself, so it ends when the
 * flood does. Thread-safe; what it remembers goes with each second.
 */
public final class FloodGuard implements IPacketInQueueService.Watcher {
  /** How long a switch drops; OpenFlow counts in seconds. */
  static final int SECONDS = 1;

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  private final int maxPerSecond;
  private final FlowProgrammer programmer;
  private final LongSupplier nanoTime;
  private final LongAdder rules = new LongAdder();
  private volatile Window window;

  /** What was dropped since, by switch and line; no more entries than there are of these. */
  private record Window(long sinceNanos, Map<Line, LongAdder> dropped) {}

  private record Line(DatapathId switchId, int classNumber) {}

  /**
   * A guard that has seen nothing yet.
   *
   * @param maxPerSecond how many packet-ins of one switch and line may be dropped unseen in a
   *     second before the switch has to
   */
  public FloodGuard(int maxPerSecond, FlowProgrammer programmer, LongSupplier nanoTime) {
    this.maxPerSecond = maxPerSecond;
    this.programmer = programmer;
    this.nanoTime = nanoTime;
    window = new Window(nanoTime.getAsLong(), new ConcurrentHashMap<>());
  }

  @Override
  public void dropped(DatapathId switchId, int classNumber, OFPacketIn one, int count) {
    LongAdder dropped =
        now().dropped.computeIfAbsent(new Line(switchId, classNumber), any -> new LongAdder());
    long before = dropped.sum();
    dropped.add(count);
    if (before < maxPerSecond && before + count >= maxPerSecond) {
      send(switchId, one);
    }
  }

  private Window now() {
    Window current = window;
    long nanos = nanoTime.getAsLong();
    if (nanos - current.sinceNanos >= WINDOW_NANOS) {
      current = new Window(nanos, new ConcurrentHashMap<>());
      window = current; // two threads may begin one each: what the other has counted is lost
    }
    return current;
  }

  private void send(DatapathId switchId, OFPacketIn one) {
    programmer.send(
        switchId,
        factory -> {
          List<OFMessage> messages =
              FloodRules.against(factory, one, SECONDS).map(List::of).orElse(List.of());
          rules.add(messages.size());
          return messages;
        });
  }

  /** How many rules were sent. */
  long rules() {
    return rules.sum();
  }
}
