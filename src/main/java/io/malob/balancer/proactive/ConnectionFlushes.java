package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.capability.FeatureProbes;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.TrackedFlush;
import io.malob.openflow.tracked.ConntrackFlush;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has switches forget the connections to lost members, so that their next packets meet buckets, and
 * those of VIPs that have ended. The buckets lead elsewhere before. A flush is repeated, because a
 * packet that is under way may open such a connection once more, and because Open vSwitch 3.1.0
 * skips some. For one thread at a time.
 */
final class ConnectionFlushes {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionFlushes.class);

  /** How often connections to a member are flushed, at double distances. */
  private static final int TIMES = 8;

  private static final long FIRST_DISTANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** In this time, all flushes were sent, unless very many members are lost. */
  static final long DURATION_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How many flushes a switch gets at a time: for each, it looks at all its connections. */
  private static final int MAX_AT_ONCE = 10;

  private final Programmed programmed;
  private final FeatureProbes features;
  private final RuleSender ruleSender;
  private final Executor serialExecutor;

  /** What switches are to forget or have forgotten, the longest wanted first. */
  private final Map<DatapathId, Map<TrackedFlush, Progress>> bySwitch = new TreeMap<>();

  /** The switches that have not confirmed all flushes. */
  private final Set<DatapathId> busy = new HashSet<>();

  private record Progress(int sent, long dueNanos) {}

  ConnectionFlushes(
      Programmed programmed,
      FeatureProbes features,
      RuleSender ruleSender,
      Executor serialExecutor) {
    this.programmed = programmed;
    this.features = features;
    this.ruleSender = ruleSender;
    this.serialExecutor = serialExecutor;
    features.subscribe(SwitchFeature.CONNECTION_FLUSH, ConnectionFlushes::refused);
  }

  private static void refused(DatapathId switchId) {
    LOG.info(
        "flush_refused switch={} - datagrams to lost members pass the controller one by one;"
            + " Open vSwitch 3.1 can be told to forget their connections",
        switchId);
  }

  /** Whether a switch forgets connections, as far as is known. */
  boolean canFlush(DatapathId switchId) {
    return features.has(switchId, SwitchFeature.CONNECTION_FLUSH);
  }

  /** A switch is to forget just these connections of a VIP. */
  void want(DatapathId switchId, BucketTraffic traffic, Set<TrackedFlush> lost, long nowNanos) {
    // switches may share their connections
    bySwitch
        .values()
        .forEach(of -> of.keySet().removeIf(each -> each.isOfEnded() && each.concerns(traffic)));
    Map<TrackedFlush, Progress> all =
        bySwitch.computeIfAbsent(switchId, any -> new LinkedHashMap<>());
    all.keySet()
        .removeIf(
            each ->
                each.traffic().vipNumber() == traffic.vipNumber()
                    && !each.isOfEnded()
                    && !lost.contains(each));
    lost.forEach(each -> all.putIfAbsent(each, new Progress(0, nowNanos)));
    if (all.isEmpty()) {
      bySwitch.remove(switchId);
    }
  }

  /**
   * Switches are to forget all connections of a VIP that has no rules any more, until one has its
   * address and port again.
   */
  void forget(Set<DatapathId> edges, BucketTraffic ended, long nowNanos) {
    for (DatapathId switchId : edges) {
      want(switchId, ended, Set.of(), nowNanos);
    }
    for (DatapathId switchId : edges) {
      bySwitch
          .computeIfAbsent(switchId, any -> new LinkedHashMap<>())
          .put(TrackedFlush.ofEnded(ended), new Progress(0, nowNanos));
    }
  }

  /** Whether there are connections of ended VIPs to forget. */
  boolean hasEnded() {
    return bySwitch.values().stream()
        .flatMap(all -> all.keySet().stream())
        .anyMatch(TrackedFlush::isOfEnded);
  }

  /** Sends the flushes that are due, after all rules. */
  void send(long nowNanos) {
    bySwitch.forEach(
        (switchId, all) -> {
          Optional<Wire> wire = programmed.wire(switchId).filter(any -> canFlush(switchId));
          all.entrySet()
              .removeIf(
                  each ->
                      each.getKey().isOfEnded()
                          && (wire.isEmpty() || each.getValue().sent >= TIMES));
          if (!busy.contains(switchId)) {
            wire.ifPresent(to -> send(switchId, to, all, nowNanos));
          }
        });
    bySwitch.values().removeIf(Map::isEmpty);
  }

  private void send(
      DatapathId switchId, Wire wire, Map<TrackedFlush, Progress> all, long nowNanos) {
    List<TrackedFlush> due =
        all.entrySet().stream()
            .filter(
                each -> each.getValue().sent < TIMES && nowNanos - each.getValue().dueNanos >= 0)
            .limit(MAX_AT_ONCE)
            .map(Map.Entry::getKey)
            .toList();
    if (due.isEmpty()) {
      return;
    }
    due.forEach(each -> all.computeIfPresent(each, (any, progress) -> next(progress, nowNanos)));
    ImmutableList<ConntrackFlush> messages =
        due.stream()
            .map(each -> each.message(wire.factory()))
            .collect(ImmutableList.toImmutableList());
    Consumer<Boolean> end = features.attempt(switchId, SwitchFeature.CONNECTION_FLUSH, messages);
    busy.add(switchId);
    ruleSender.sendInOrder(
        List.of(new MessageBatch(switchId, ImmutableList.copyOf(messages))),
        isConfirmed -> {
          end.accept(isConfirmed);
          serialExecutor.execute(() -> busy.remove(switchId));
        });
  }

  private static Progress next(Progress before, long nowNanos) {
    return new Progress(before.sent + 1, nowNanos + (FIRST_DISTANCE_NANOS << before.sent));
  }
}
