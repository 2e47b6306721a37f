package io.malob.balancer.admission;

import com.google.common.collect.ImmutableMap;
import io.malob.module.IPacketInQueueService;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and logs the packet-ins that were dropped in overload. */
public final class PacketInDrops {
  private static final Logger LOG = LoggerFactory.getLogger(PacketInDrops.class);

  private final IPacketInQueueService queues;
  private final PacketInClasses classes;
  private final Map<String, Long> logged = new HashMap<>();

  /** Sets the classes of the packet-in queues, and the guard that watches their drops. */
  public PacketInDrops(IPacketInQueueService queues, PacketInClasses classes, FloodGuard guard) {
    this.queues = queues;
    this.classes = classes;
    queues.setClassifier(classes);
    queues.setWatcher(guard);
  }

  /** The drops since the start, by class name. Thread-safe. */
  public ImmutableMap<String, Long> byClass() {
    Map<String, Long> sums = new HashMap<>();
    queues
        .dropped()
        .forEach((number, count) -> sums.merge(classes.nameOf(number), count, Long::sum));
    return ImmutableMap.copyOf(sums);
  }

  /** Logs each class with drops since the last call. For one thread at a time. */
  public void log() {
    byClass()
        .forEach(
            (name, count) -> {
              long before = logged.getOrDefault(name, 0L);
              if (count > before) {
                LOG.warn(
                    "packet_ins_dropped class={} count={} - the controller is overloaded",
                    name,
                    count - before);
                logged.put(name, count);
              }
            });
  }
}
