package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.tracked.ConntrackFlush;
import io.malob.openflow.tracked.ConntrackFlush.Destination;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;

/**
 * The connections of a tracked VIP which a switch is to forget. Immutable.
 *
 * @param member where those of one member lead; null for the connections to all
 */
public record TrackedFlush(BucketTraffic traffic, @Nullable Destination member) {
  /** Those to a member. */
  public static TrackedFlush of(BucketTraffic traffic, Server member) {
    return new TrackedFlush(
        traffic,
        new Destination(
            AddressKey.toAddress(member.address()), ReplyRules.portOf(traffic, member)));
  }

  /** All of a VIP that has ended. */
  public static TrackedFlush ofEnded(BucketTraffic traffic) {
    return new TrackedFlush(traffic, null);
  }

  /** Whether the VIP has ended. */
  public boolean isOfEnded() {
    return member == null;
  }

  /** Whether another VIP's new connections would be forgotten too. */
  public boolean concerns(BucketTraffic other) {
    return traffic.zone() == other.zone()
        && traffic.protocol().equals(other.protocol())
        && traffic.address().equals(other.address())
        && traffic.port() == other.port();
  }

  /** The message to the switch. */
  public ConntrackFlush message(OFFactory factory) {
    return new ConntrackFlush(
        factory,
        traffic.zone(),
        traffic.protocol(),
        new Destination(traffic.address(), traffic.port()),
        member);
  }
}
