package io.malob.balancer.proactive;

import io.malob.balancer.reroute.RulePacer;
import io.malob.capability.FeatureProbes;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.RuleSender;
import io.malob.openflow.TableLayout;
import io.malob.openflow.label.Label;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/** The rules of proactive VIPs on all switches. For one thread at a time. */
final class Programmed {
  /** The max number of messages under way with which more large changes may begin. */
  private static final int MAX_PENDING = 50_000;

  private final RuleSender ruleSender;
  private final RulePacer pacer;
  private final Executor serialExecutor;

  /** Whether a switch is connected and its rules have been read. */
  private final Predicate<DatapathId> isRead;

  private final FeatureProbes features;
  private final Map<DatapathId, ProgrammedSwitch> switches = new TreeMap<>();

  Programmed(
      RuleSender ruleSender,
      RulePacer pacer,
      Executor serialExecutor,
      Predicate<DatapathId> isRead,
      FeatureProbes features) {
    this.ruleSender = ruleSender;
    this.pacer = pacer;
    this.serialExecutor = serialExecutor;
    this.isRead = isRead;
    this.features = features;
  }

  ProgrammedSwitch at(DatapathId switchId) {
    return switches.computeIfAbsent(switchId, any -> new ProgrammedSwitch(any, pacer));
  }

  /**
   * A switch that can be programmed now; empty if it is away, its rules are unknown, or it does not
   * translate.
   */
  Optional<Wire> wire(DatapathId switchId) {
    return isRead.test(switchId)
        ? ruleSender
            .tables(switchId)
            .filter(tables -> tables.translates())
            .map(
                tables ->
                    new Wire(at(switchId), tables, features.has(switchId, SwitchFeature.TCP_FLAGS)))
        : Optional.empty();
  }

  /** Whether a switch is known to have all rules in one table. */
  boolean isOneTable(DatapathId switchId) {
    return ruleSender.compiler().isOneTableEdge(switchId);
  }

  /** Whether a switch is known to track connections. */
  boolean tracks(DatapathId switchId) {
    return !isOneTable(switchId) && features.has(switchId, SwitchFeature.CONNECTION_TRACKING);
  }

  /** Whether a switch is known not to track connections. */
  boolean lacksTracking(DatapathId switchId) {
    return isOneTable(switchId)
        || features.known(switchId, SwitchFeature.CONNECTION_TRACKING)
            == FeatureProbes.Answer.REFUSED;
  }

  /** The layout of a switch's tables; null while it is unknown. */
  @Nullable TableLayout layout(DatapathId switchId) {
    return ruleSender.compiler().layout(switchId);
  }

  /** Removes the rules of an owner from a switch, also if it is away. */
  void clear(DatapathId switchId, Object owner, long nowNanos) {
    wire(switchId)
        .ifPresentOrElse(
            wire -> wire.sw().set(owner, List.of(), wire.tables(), nowNanos),
            () -> at(switchId).forget(owner));
  }

  boolean isConnected(DatapathId switchId) {
    return wire(switchId).isPresent();
  }

  boolean isSettled(DatapathId switchId) {
    return at(switchId).isSettled();
  }

  /** Whether rules of an earlier run that are not replaced yet use a label. */
  boolean usesFoundLabel(Label label) {
    return switches.values().stream().anyMatch(each -> each.usesFoundLabel(label));
  }

  /**
   * Whether changes of thousands of rules may begin: not while as many are collected or not
   * confirmed, because they need memory here and time on the switches.
   */
  boolean hasRoom() {
    return switches.values().stream().mapToInt(ProgrammedSwitch::pending).sum() < MAX_PENDING;
  }

  /** Sends all collected messages. */
  void flush() {
    switches.values().forEach(each -> each.flush(ruleSender, serialExecutor));
  }
}
