package io.malob.balancer.proactive;

import io.malob.openflow.bucket.BucketTraffic;
import io.malob.openflow.bucket.OpeningRule;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Keeps the rules that send the first packets of a tracked VIP's connections to the controller.
 * Each ends by itself, unless it is sent anew: without a controller, buckets place. For one thread
 * at a time.
 */
final class Openings {
  /** The time after which buckets place if the controller is lost. */
  private static final int SECONDS = 2;

  private static final long RENEWAL_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  private final Map<DatapathId, Long> sentAtNanos = new HashMap<>();

  /** Keeps the rule of a switch, or removes it. */
  void keep(Wire wire, BucketTraffic traffic, boolean isWanted, long nowNanos) {
    DatapathId switchId = wire.sw().switchId();
    @Nullable Long before = sentAtNanos.get(switchId);
    if (!isWanted && before != null) {
      sentAtNanos.remove(switchId);
      wire.sw().then(OpeningRule.remove(wire.factory(), traffic));
    } else if (isWanted && (before == null || nowNanos - before >= RENEWAL_NANOS)) {
      sentAtNanos.put(switchId, nowNanos);
      wire.sw().then(OpeningRule.of(wire.factory(), traffic, SECONDS));
    }
  }
}
