package io.malob.endhost;

import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The flows with their counts: the only class that adds, ends and removes flows. Safe for use by
 * several threads.
 */
final class OpenFlows {
  private final FlowTable table;
  private final UplinkChoice choice;
  private final AtomicLong generations;
  private final ConcurrentMap<Integer, UplinkCounts> counts = new ConcurrentHashMap<>();

  /**
   * No flows yet.
   *
   * @param firstGeneration different from those that an earlier run has used recently
   */
  OpenFlows(FlowTable table, UplinkChoice choice, long firstGeneration) {
    this.table = table;
    this.choice = choice;
    this.generations = new AtomicLong(firstGeneration);
  }

  @Nullable Flow find(FlowKey key) {
    return table.find(key);
  }

  boolean isFull() {
    return table.isFull();
  }

  /** How many flows are to leave, so that there is room for new ones; 0 or less for none. */
  int excess() {
    return table.excess();
  }

  Collection<Flow> all() {
    return table.all();
  }

  UplinkCounts counts(int uplink) {
    return counts.computeIfAbsent(uplink, none -> new UplinkCounts());
  }

  /** Adds a flow; returns that of another thread if it was faster. */
  Flow open(FlowKey key, int uplink, IPAddress<?> address, long nowNanos) {
    return counted(new Flow(key, uplink, address, generations.incrementAndGet(), nowNanos));
  }

  /** Adds a flow that the switch already has. */
  void adopt(Flow flow) {
    Flow unused = counted(flow);
  }

  private Flow counted(Flow flow) {
    Flow winner = table.putIfAbsent(flow);
    if (winner == flow) {
      countOpened(flow);
    }
    return winner;
  }

  /** Replaces an ended flow by a new one on the same uplink. */
  Flow renew(Flow before, long nowNanos) {
    Flow after =
        new Flow(
            before.key(),
            before.uplink(),
            before.address(),
            generations.incrementAndGet(),
            nowNanos);
    if (table.replace(before, after)) {
      countBytes(before);
      countOpened(after);
      return after;
    }
    @Nullable Flow other = table.find(before.key());
    return other != null ? other : counted(after);
  }

  /**
   * Replaces a flow by one on an uplink that can carry it, with a new generation; empty if there is
   * none, or the flow has ended.
   */
  Optional<Flow> move(Wiring wiring, Flow before, long nowNanos) {
    FlowKey key = before.key();
    Optional<UplinkEnd> chosen =
        choice
            .choose(wiring, key)
            .flatMap(view -> Optional.ofNullable(wiring.byNumber().get(view.number())));
    if (chosen.isEmpty() || !end(before)) {
      return Optional.empty();
    }
    UplinkEnd uplink = chosen.get();
    IPAddress<?> address = uplink.address(key.version()).orElseThrow();
    Flow after = new Flow(key, uplink.number(), address, generations.incrementAndGet(), nowNanos);
    if (!table.replace(before, after)) {
      return Optional.empty();
    }
    counts(before.uplink()).moved.increment();
    countBytes(before);
    countOpened(after);
    return Optional.of(after);
  }

  private void countOpened(Flow flow) {
    UplinkCounts of = counts(flow.uplink());
    of.open.incrementAndGet();
    of.total.increment();
    choice.placed(flow);
  }

  /** Ends a flow; its rules may still exist. False if it has ended before. */
  boolean end(Flow flow) {
    boolean ended = flow.end();
    if (ended) {
      counts(flow.uplink()).open.decrementAndGet();
      choice.ended(flow);
    }
    return ended;
  }

  /** Removes a flow whose rules were removed; false if it was no longer there. */
  boolean forget(Flow flow) {
    end(flow);
    boolean removed = table.remove(flow);
    if (removed) {
      countBytes(flow);
    }
    return removed;
  }

  private void countBytes(Flow flow) {
    UplinkCounts of = counts(flow.uplink());
    of.received.add(flow.receivedBytes());
    of.sent.add(flow.sentBytes());
    choice.known(flow);
  }
}
