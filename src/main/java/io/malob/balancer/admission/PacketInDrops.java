package io.malob.balancer.admission;

import com.google.common.collect.ImmutableMap;
import io.malob.module.IPacketInQueueService;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows which packet-ins were dropped because more came than could be handled. */
public final class PacketInDrops {
  private static final Logger LOG = LoggerFactory.getLogger(PacketInDrops.class);

  private final IPacketInQueueService queues;
  private final PacketInClasses classes;
  private final Map<String, Long> told = new HashMap<>();

  /** Has packet-ins wait in those queues, by these classes, and a guard look at what is dropped. */
  public PacketInDrops(IPacketInQueueService queues, PacketInClasses classes, FloodGuard guard) {
    this.queues = queues;
    this.classes = classes;
    queues.setClassifier(classes);
    queues.setWatcher(guard);
  }

  /** How many were dropped since the start, by the names of their classes. Thread-safe. */
  public ImmutableMap<String, Long> byClass() {
    Map<String, Long> sums = new HashMap<>();
    queues
        .dropped()
        .forEach((number, count) -> sums.merge(classes.nameOf(number), count, Long::sum));
    return ImmutableMap.copyOf(sums);
  }

  /** Writes a line for each class of which some were dropped since. By one thread at a time. */
  public void tell() {
    byClass()
        .forEach(
            (name, count) -> {
              long before = told.getOrDefault(name, 0L);
              if (count > before) {
                LOG.warn(
                    "packet_ins_dropped class={} count={} - more came than could be handled",
                    name,
                    count - before);
                told.put(name, count);
              }
            });
  }
}
