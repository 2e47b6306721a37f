package io.malob.controller.channel;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.module.IPacketInQueueService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;

/** The shared state of the queues of all switches. Safe for use by several threads. */
public final class PacketInQueues implements IPacketInQueueService {
  private static final int ONLY_CLASS = 1;

  private final Map<Integer, LongAdder> dropped = new ConcurrentHashMap<>();
  private volatile Watcher watcher = (switchId, number, one, count) -> {};
  private volatile Classifier classifier = packetIn -> ONLY_CLASS;

  @Override
  public void setClassifier(Classifier newClassifier) {
    classifier = newClassifier;
  }

  @Override
  public void setWatcher(Watcher newWatcher) {
    watcher = newWatcher;
  }

  void logDropped(DatapathId switchId, int number, OFPacketIn one, int count) {
    watcher.dropped(switchId, number, one, count);
  }

  @Override
  public Map<Integer, Long> dropped() {
    return ImmutableMap.copyOf(Maps.transformValues(dropped, LongAdder::sum));
  }

  int classOf(OFPacketIn packetIn) {
    return classifier.classOf(packetIn);
  }

  /** The counter of dropped packet-ins of a class. */
  LongAdder droppedOf(int number) {
    return dropped.computeIfAbsent(number, any -> new LongAdder());
  }
}
