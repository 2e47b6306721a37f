package io.malob.endhost;

import io.malob.openflow.RuleSender;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.FlowRules;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the switch up to date with the host's network: installs its rules, and moves or ends flows
 * whose uplink can no longer carry them. The wiring may be read by any thread; all changes are made
 * on one executor, in order.
 */
final class WiredHost {
  private static final Logger LOG = LoggerFactory.getLogger(WiredHost.class);

  private static final int DNS_PORT = 53;

  /** How long a connection stays that has not been established (RFC 5382, REQ-5). */
  private static final long TRANSITORY_NANOS = TimeUnit.MINUTES.toNanos(4);

  private final RuleSender ruleSender;
  private final FixedRules rules;
  private final OpenFlows flows;
  private final FlowSender sender;
  private final Resets resets;
  private final Executor serialExecutor;
  private final Runnable resetsLater;
  private final LongSupplier nanoTime;
  private final FlowReading reading;
  private volatile Optional<Wiring> wiring = Optional.empty();

  /** The wiring of the switch's present rules; for the executor. */
  private Optional<Wiring> followed = Optional.empty();

  WiredHost(
      RuleSender ruleSender,
      FixedRules rules,
      OpenFlows flows,
      FlowSender sender,
      Resets resets,
      Function<Supplier<Optional<Wiring>>, FlowReading> reading,
      Executor serialExecutor,
      Runnable resetsLater,
      LongSupplier nanoTime) {
    this.ruleSender = ruleSender;
    this.rules = rules;
    this.flows = flows;
    this.sender = sender;
    this.resets = resets;
    this.serialExecutor = serialExecutor;
    this.resetsLater = resetsLater;
    this.nanoTime = nanoTime;
    this.reading = reading.apply(this::wiring);
  }

  /** The current connections of the host; empty until configured. */
  Optional<Wiring> wiring() {
    return wiring;
  }

  /** Things have changed. */
  void viewChanged(HostView view) {
    wiring = Optional.of(Wiring.of(view)); // new flows use it from here on
    serialExecutor.execute(this::follow);
  }

  /** Updates rules and flows to the latest wiring; an older one may be outdated. */
  private void follow() {
    Optional<Wiring> before = followed;
    Optional<Wiring> latest = wiring;
    if (latest.isEmpty() || latest.equals(before)) {
      return;
    }
    Wiring now = latest.get();
    followed = latest;
    before.filter(old -> !old.switchId().equals(now.switchId())).ifPresent(rules::clear);
    if (before.filter(old -> old.switchId().equals(now.switchId())).isEmpty()) {
      reading.switchActivated();
    }
    if (before.filter(now::hasRulesOf).isEmpty()) {
      rules.prepare(now);
    } else {
      rules.follow(now);
    }
    reading.follow(now);
    depart(now);
    before.ifPresent(old -> followRouters(old, now));
  }

  /** The switch has connected, perhaps without any rules. */
  void switchActivated(DatapathId switchId) {
    serialExecutor.execute(
        () ->
            wiring
                .filter(now -> now.switchId().equals(switchId))
                .ifPresent(
                    now -> {
                      reading.switchActivated();
                      rules.prepare(now);
                    }));
  }

  /**
   * Moves or ends flows whose uplink was removed, is dead, or has another address; but not while
   * the switch is disconnected, nor, after its reconnection, before the uplink has been alive: the
   * switch keeps forwarding without the controller, which does not know the state of uplinks yet.
   */
  private void depart(Wiring now) {
    if (now.inside().isEmpty()) {
      return;
    }
    List<Flow> stranded = new ArrayList<>();
    for (Flow flow : flows.all()) {
      if (now.uplinkOf(flow).isEmpty() && reading.isLost(flow.uplink())) {
        stranded.add(flow);
      }
    }
    if (stranded.isEmpty()) {
      return;
    }
    // before their rules are deleted: the switch reports that, which ends flows that are still
    // known
    List<Flow> moved = new ArrayList<>();
    List<Flow> ended = new ArrayList<>();
    for (Flow flow : stranded) {
      Optional<Flow> after =
          isMovable(flow) ? flows.move(now, flow, nanoTime.getAsLong()) : Optional.empty();
      if (after.isPresent()) {
        moved.add(after.get());
      } else if (end(flow)) {
        ended.add(flow);
      }
    }
    removeRules(now, stranded);
    for (Flow flow : moved) {
      now.uplinkOf(flow).ifPresent(uplink -> sender.carry(now, uplink, flow));
    }
    LOG.info(
        "flows_ended flows={} moved={} - their uplinks no longer carry them",
        ended.size(),
        moved.size());
    ended.forEach(flow -> tell(now, flow, /* mayMove= */ true));
    resetsLater.run();
  }

  /**
   * Whether a flow survives another source address: peers of TCP do not accept it, while those of
   * QUIC validate it (RFC 9000, section 9), and other programs over UDP send again. A resolver asks
   * again at once only if it learns that its query was lost.
   */
  private static boolean isMovable(Flow flow) {
    return flow.key().protocol() == FlowKey.UDP && flow.key().peerPort() != DNS_PORT;
  }

  private void removeRules(Wiring now, List<Flow> stranded) {
    if (reading.isSettling()) {
      // the uplink may have flows that are not known yet, which are to be reset as well
      stranded.forEach(flow -> sender.remove(now, flow.uplink(), flow.generation()));
    } else {
      stranded.stream()
          .map(Flow::uplink)
          .distinct()
          .forEach(
              uplink ->
                  ruleSender.send(now.switchId(), factory -> FlowRules.removeAll(factory, uplink)));
    }
  }

  private boolean end(Flow flow) {
    boolean wasOver = flow.isOver();
    boolean ends = flows.forget(flow) && !wasOver;
    if (ends) {
      flows.counts(flow.uplink()).reset.increment();
    }
    return ends;
  }

  private void tell(Wiring now, Flow flow, boolean mayMove) {
    if (flow.key().protocol() == FlowKey.TCP) {
      resets.begin(flow.key(), mayMove, nanoTime.getAsLong());
    } else if (flow.key().protocol() == FlowKey.UDP && now.inside().isPresent()) {
      sender.unreachable(now, flow.key());
    }
  }

  /** Ends a flow whose rules the switch rejects; true if the flow existed. By the executor. */
  boolean endRefused(Flow flow) {
    Optional<Wiring> now = wiring;
    boolean wasOver = flow.isOver();
    if (now.isEmpty() || !flows.forget(flow)) {
      return false;
    }
    sender.remove(now.get(), flow.uplink(), flow.generation()); // one of both may exist
    if (!wasOver) {
      tell(now.get(), flow, /* mayMove= */ false);
      resetsLater.run();
    }
    return true;
  }

  /** The same router with another MAC: flows continue over it. */
  private void followRouters(Wiring before, Wiring now) {
    if (now.inside().isEmpty()) {
      return;
    }
    for (UplinkEnd end : now.byNumber().values()) {
      @Nullable UplinkEnd old = before.byNumber().get(end.number());
      if (old == null || old.equals(end)) {
        continue;
      }
      for (Flow flow : flows.all()) {
        boolean isToMove =
            flow.uplink() == end.number()
                && old.carries(flow.key().version())
                && now.uplinkOf(flow).isPresent();
        if (isToMove) {
          sender.carry(now, end, flow);
        }
      }
    }
  }

  /** Checks for flows that were placed during a change, and reads their counters. */
  void check() {
    wiring.ifPresent(
        now -> {
          depart(now);
          reading.tick(now, () -> removeIdle(now));
        });
  }

  /**
   * Ends connections that were never answered, which RFC 5382 allows after four minutes, and, if
   * there is little room for others, those that have been idle for longest.
   */
  private void removeIdle(Wiring now) {
    long nanos = nanoTime.getAsLong();
    List<Flow> idle = new ArrayList<>();
    for (Flow flow : flows.all()) {
      boolean isIdle =
          flow.key().protocol() == FlowKey.TCP
              && !flow.isOver()
              && nanos - flow.activeNanos() >= TRANSITORY_NANOS;
      if (isIdle && flow.receivedBytes() == 0) {
        leave(now, flow);
      } else if (isIdle) {
        idle.add(flow);
      }
    }
    idle.sort(Comparator.comparingLong(flow -> flow.activeNanos() - nanos));
    List<Flow> ended = idle.subList(0, Math.max(0, Math.min(flows.excess(), idle.size())));
    for (Flow flow : ended) {
      leave(now, flow);
      tell(now, flow, /* mayMove= */ true);
    }
    if (!ended.isEmpty()) {
      LOG.info("flows_idle flows={} - ended to make room for others", ended.size());
      resetsLater.run();
    }
  }

  private void leave(Wiring now, Flow flow) {
    if (flows.forget(flow)) {
      sender.remove(now, flow.uplink(), flow.generation());
    }
  }

  /** Continues with resets; returns whether some are left. */
  boolean resetMore() {
    Optional<Wiring> now = wiring;
    return now.isPresent() && resetMore(now.get());
  }

  private boolean resetMore(Wiring now) {
    return now.inside().isPresent() && resets.goOn(now, flows, nanoTime.getAsLong());
  }

  /** Ends all flows; from then on there are no new ones. */
  void close() {
    serialExecutor.execute(
        () ->
            wiring
                .map(Wiring::withoutUplinks)
                .ifPresent(
                    now -> {
                      wiring = Optional.of(now);
                      depart(now);
                    }));
  }

  /** Deletes all rules and the host's configuration. */
  void forget() {
    serialExecutor.execute(
        () -> {
          wiring.ifPresent(rules::clear);
          wiring = Optional.empty();
          followed = Optional.empty();
        });
  }
}
