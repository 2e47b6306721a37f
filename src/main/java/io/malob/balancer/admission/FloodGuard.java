package io.malob.balancer.admission;

import com.google.common.collect.ConcurrentHashMultiset;
import io.malob.module.IPacketInQueueService;
import io.malob.openflow.Cookie;
import io.malob.openflow.FloodRules;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.TrackedFloods;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IpProtocol;

/**
 * Installs drop rules against floods of packet-ins that are too fast even to be read and discarded.
 * A rule lasts one second. After that, the flood reaches the controller again until the threshold
 * triggers the next rule, so no rule outlasts its flood by more than a second. Thread-safe; all
 * counts are discarded every second.
 */
public final class FloodGuard implements IPacketInQueueService.Watcher {
  /** How long a rule lasts: the shortest timeout that OpenFlow has. */
  static final int SECONDS = 1;

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);

  private final int maxPerSecond;
  private final Supplier<CatalogSnapshot> catalog;
  private final RuleSender ruleSender;
  private final LongSupplier nanoTime;
  private final LongAdder rules = new LongAdder();
  private volatile Window window;

  /** The drops since a time, by switch and queue; bounded by the number of these. */
  private record Window(long sinceNanos, ConcurrentHashMultiset<Queue> dropped) {}

  private record Queue(DatapathId switchId, int classNumber) {}

  /**
   * A guard without counts.
   *
   * @param catalog the members, whose replies may be to forged addresses
   * @param maxPerSecond how many packet-ins of a switch and queue the controller drops in a second
   *     before a rule makes the switch drop them
   */
  public FloodGuard(
      int maxPerSecond,
      Supplier<CatalogSnapshot> catalog,
      RuleSender ruleSender,
      LongSupplier nanoTime) {
    this.catalog = catalog;
    this.maxPerSecond = maxPerSecond;
    this.ruleSender = ruleSender;
    this.nanoTime = nanoTime;
    window = new Window(nanoTime.getAsLong(), ConcurrentHashMultiset.create());
  }

  @Override
  public void dropped(DatapathId switchId, int classNumber, OFPacketIn example, int count) {
    int before = now().dropped.add(new Queue(switchId, classNumber), count);
    if (before < maxPerSecond && before + count >= maxPerSecond) {
      send(switchId, classNumber, example);
    }
  }

  private Window now() {
    Window current = window;
    long nanos = nanoTime.getAsLong();
    if (nanos - current.sinceNanos >= WINDOW_NANOS) {
      current = new Window(nanos, ConcurrentHashMultiset.create());
      window = current; // if two threads start a window each, the counts of one are lost
    }
    return current;
  }

  private void send(DatapathId switchId, int classNumber, OFPacketIn example) {
    ruleSender.send(
        switchId,
        factory -> {
          List<OFMessage> messages = against(factory, classNumber, example);
          rules.add(messages.size());
          return messages;
        });
  }

  private List<OFMessage> against(OFFactory factory, int classNumber, OFPacketIn example) {
    if (classNumber == PacketInClasses.REPLIES) {
      return againstReplies(factory, example);
    }
    boolean isReply =
        classNumber == PacketInClasses.MEMBERS
            && !ReplyOrigin.of(catalog.get(), Packet.parse(example.getData())).isEmpty();
    return (isReply
            ? FloodRules.againstMember(factory, example, SECONDS)
            : FloodRules.against(factory, example, SECONDS))
        .or(() -> TrackedFloods.against(factory, example, SECONDS))
        .map(List::of)
        .orElse(List.of());
  }

  private List<OFMessage> againstReplies(OFFactory factory, OFPacketIn example) {
    if (example.getTableId().equals(FlowLayout.REQUESTS)) {
      return List.of(FloodRules.againstReplies(factory, example, SECONDS));
    }
    int number = Cookie.memberNumber(example.getCookie());
    Packet reply = Packet.parse(example.getData());
    return catalog.get().members().values().stream()
        .filter(member -> member.number() == number)
        .map(
            member ->
                FloodRules.againstReplies(
                    factory,
                    IpProtocol.of((short) reply.protocol()),
                    member.address(),
                    member.port() == null ? reply.srcPort() : member.port(),
                    SECONDS))
        .toList();
  }

  /** How many rules were sent since the start. */
  long rules() {
    return rules.sum();
  }
}
