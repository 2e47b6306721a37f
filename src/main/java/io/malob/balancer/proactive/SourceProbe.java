package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchMessages;
import io.malob.openflow.bucket.BucketRules;
import io.malob.openflow.bucket.BucketSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.errormsg.OFFlowModFailedErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out, once per switch and address family, which part of packets its rules can sort into
 * buckets: a rule that no packet matches is added and removed again. Remembered until the switch
 * reconnects. Thread-safe.
 */
final class SourceProbe {
  private static final Logger LOG = LoggerFactory.getLogger(SourceProbe.class);

  private final FlowProgrammer programmer;
  private final BucketSource preferred;
  private final Map<Asked, Result> results = new ConcurrentHashMap<>();

  /** The trials under way, by the transaction ids of their rules. */
  private final Map<Long, Trial> trials = new ConcurrentHashMap<>();

  /** What is known of a switch. */
  enum Result {
    /** The answer is pending. */
    PENDING,
    PORT,
    ADDRESS,
    /** Its rules can have masks on neither. */
    NONE;

    /** The source of buckets; empty if there is none, or not yet. */
    Optional<BucketSource> source() {
      return switch (this) {
        case PORT -> Optional.of(BucketSource.PORT);
        case ADDRESS -> Optional.of(BucketSource.ADDRESS);
        case PENDING, NONE -> Optional.empty();
      };
    }
  }

  private record Asked(DatapathId switchId, IpFamily family) {}

  private record Trial(Asked asked, BucketSource source) {}

  /**
   * Nothing is known.
   *
   * @param preferred what a switch is asked for first; the other source is {@link
   *     BucketSource#ADDRESS}
   */
  SourceProbe(FlowProgrammer programmer, BucketSource preferred) {
    this.programmer = programmer;
    this.preferred = preferred;
  }

  /** What is known of a switch; asks it if nothing is. */
  Result of(DatapathId switchId, IpFamily family) {
    Asked asked = new Asked(switchId, family);
    @Nullable Result known = results.get(asked);
    if (known == null) {
      results.put(asked, Result.PENDING);
      attempt(asked, preferred);
      return Result.PENDING;
    }
    return known;
  }

  /** What is known of a switch; nothing is asked. */
  Result known(DatapathId switchId, IpFamily family) {
    return results.getOrDefault(new Asked(switchId, family), Result.PENDING);
  }

  private void attempt(Asked asked, BucketSource source) {
    programmer
        .tables(asked.switchId)
        .ifPresentOrElse(
            tables -> {
              OFFlowAdd rule = BucketRules.maskProbe(tables, asked.family, source);
              Trial trial = new Trial(asked, source);
              trials.put(rule.getXid(), trial);
              programmer.sendInOrder(
                  List.of(
                      new SwitchMessages(
                          asked.switchId,
                          ImmutableList.of(
                              rule,
                              ProgrammedSwitch.delete(
                                  tables.factory(), RuleKey.of(rule), rule.getCookie())))),
                  done -> completed(rule.getXid(), trial, done));
            },
            () -> results.remove(asked, Result.PENDING));
  }

  private void completed(long transaction, Trial trial, boolean isConfirmed) {
    boolean isAccepted = trials.remove(transaction) != null;
    if (!isConfirmed) {
      results.remove(trial.asked, Result.PENDING);
    } else if (isAccepted) {
      results.replace(
          trial.asked,
          Result.PENDING,
          trial.source == BucketSource.PORT ? Result.PORT : Result.ADDRESS);
    }
  }

  /**
   * A switch has rejected a message; false if it was not such a rule. One without room for the rule
   * has understood it.
   */
  boolean refused(OFErrorMsg error) {
    if (isTableFull(error)) {
      return trials.containsKey(error.getXid());
    }
    @Nullable Trial trial = trials.remove(error.getXid());
    if (trial == null) {
      return false;
    }
    if (trial.source == BucketSource.PORT) {
      LOG.info(
          "port_masks_refused switch={} - proactive VIPs place clients there by their addresses",
          trial.asked.switchId);
      attempt(trial.asked, BucketSource.ADDRESS);
    } else {
      LOG.warn(
          "address_masks_refused switch={} - proactive VIPs are reactive there",
          trial.asked.switchId);
      results.put(trial.asked, Result.NONE);
    }
    return true;
  }

  private static boolean isTableFull(OFErrorMsg error) {
    return error instanceof OFFlowModFailedErrorMsg failed
        && failed.getCode() == OFFlowModFailedCode.TABLE_FULL;
  }

  /** A switch has disconnected: it may be another when it returns. */
  void forget(DatapathId switchId) {
    results.keySet().removeIf(asked -> asked.switchId.equals(switchId));
  }
}
