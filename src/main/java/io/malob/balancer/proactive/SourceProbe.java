package io.malob.balancer.proactive;

import io.malob.capability.FeatureProbes;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.BucketSource;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out, per switch and address family, which part of packets its rules can sort into buckets.
 * Thread-safe.
 */
final class SourceProbe {
  private static final Logger LOG = LoggerFactory.getLogger(SourceProbe.class);

  private final FeatureProbes features;
  private final RuleSender ruleSender;
  private final BucketSource preferred;

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

  /**
   * Nothing is known.
   *
   * @param preferred what a switch is asked for first; the other source is {@link
   *     BucketSource#ADDRESS}
   */
  SourceProbe(FeatureProbes features, RuleSender ruleSender, BucketSource preferred) {
    this.features = features;
    this.ruleSender = ruleSender;
    this.preferred = preferred;
    for (IpFamily family : IpFamily.values()) {
      features.subscribe(
          SwitchFeature.masks(family, BucketSource.PORT),
          switchId -> portRefused(switchId, family));
      features.subscribe(
          SwitchFeature.masks(family, BucketSource.ADDRESS), SourceProbe::addressRefused);
    }
  }

  private void portRefused(DatapathId switchId, IpFamily family) {
    LOG.info(
        "port_masks_refused switch={} - proactive VIPs place clients there by their addresses",
        switchId);
    ask(switchId, family, BucketSource.ADDRESS);
  }

  private static void addressRefused(DatapathId switchId) {
    LOG.warn("address_masks_refused switch={} - proactive VIPs are reactive there", switchId);
  }

  /** What is known of a switch; asks it if nothing is. */
  Result of(DatapathId switchId, IpFamily family) {
    Result first = result(ask(switchId, family, preferred), preferred);
    return first == Result.NONE && preferred == BucketSource.PORT
        ? result(ask(switchId, family, BucketSource.ADDRESS), BucketSource.ADDRESS)
        : first;
  }

  private Answer ask(DatapathId switchId, IpFamily family, BucketSource source) {
    return features.ask(ruleSender, switchId, SwitchFeature.masks(family, source));
  }

  /** What is known of a switch; nothing is asked. */
  Result known(DatapathId switchId, IpFamily family) {
    Result first = known(switchId, family, preferred);
    return first == Result.NONE ? known(switchId, family, BucketSource.ADDRESS) : first;
  }

  private Result known(DatapathId switchId, IpFamily family, BucketSource source) {
    return result(features.known(switchId, SwitchFeature.masks(family, source)), source);
  }

  private static Result result(Answer answer, BucketSource source) {
    return switch (answer) {
      case PENDING -> Result.PENDING;
      case ACCEPTED -> source == BucketSource.PORT ? Result.PORT : Result.ADDRESS;
      case REFUSED -> Result.NONE;
    };
  }
}
