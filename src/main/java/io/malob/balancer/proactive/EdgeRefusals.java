package io.malob.balancer.proactive;

import io.malob.openflow.RefusedRule;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The switches that have refused a rule of a VIP, and why. For one thread at a time. */
final class EdgeRefusals {
  private static final Logger LOG = LoggerFactory.getLogger(EdgeRefusals.class);

  /** How long an edge stays reactive after a switch has refused a rule. */
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final int vipNumber;
  private final Map<DatapathId, Refusal> refusals = new HashMap<>();

  private record Refusal(String why, boolean isOfFullTable, long atNanos) {}

  EdgeRefusals(int vipNumber) {
    this.vipNumber = vipNumber;
  }

  /**
   * A switch has refused a rule of the VIP. If its table is full, an edge that has its buckets
   * keeps them: reactive placement would need more rules. The rest is sent again when the switch is
   * read.
   */
  void refused(DatapathId switchId, RefusedRule rule, long nowNanos) {
    Refusal refusal = new Refusal(rule.reason(), rule.isOfFullTable(), nowNanos);
    if (refusals.put(switchId, refusal) == null) {
      LOG.warn(
          "proactive_rule_refused vip={} switch={} why=\"{}\" - placement is reactive there for a"
              + " minute, unless the switch has buckets already and is full",
          vipNumber,
          switchId,
          rule.reason());
    }
  }

  /** A switch was found to have all rules. */
  void hasAllRules(DatapathId switchId, long settledNanos) {
    @Nullable Refusal refusal = refusals.get(switchId);
    if (refusal != null && refusal.isOfFullTable && refusal.atNanos - settledNanos <= 0) {
      refusals.remove(switchId);
    }
  }

  /**
   * Lets switches be tried again after a while.
   *
   * @param isInUse whether an edge with buckets depends on a switch
   */
  void expire(Predicate<DatapathId> isInUse, long nowNanos) {
    refusals
        .entrySet()
        .removeIf(
            each ->
                nowNanos - each.getValue().atNanos >= RETRY_NANOS
                    && !(each.getValue().isOfFullTable && isInUse.test(each.getKey())));
  }

  /** Those of some switches that have refused rules. */
  Set<DatapathId> among(Predicate<DatapathId> switches) {
    return refusals.keySet().stream().filter(switches).collect(Collectors.toUnmodifiableSet());
  }

  /** Whether the table of a switch that has refused a rule is full. */
  boolean isOfFullTable(DatapathId switchId) {
    @Nullable Refusal refusal = refusals.get(switchId);
    return refusal != null && refusal.isOfFullTable;
  }

  /** Why the first of some switches that has refused a rule did so; empty if none has. */
  Optional<String> why(Stream<DatapathId> switches) {
    return switches
        .map(refusals::get)
        .filter(each -> each != null)
        .map(each -> each.why)
        .findFirst();
  }
}
