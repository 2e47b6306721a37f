package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.tracked.ConntrackFlush;
import io.malob.openflow.tracked.ConntrackFlush.Destination;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The connections of a tracked VIP to one member, which a switch is to forget. Immutable.
 *
 * @param address that of the member
 * @param port its service port
 */
public record TrackedFlush(BucketTraffic traffic, IPAddress<?> address, int port) {
  /** Those to a member. */
  public static TrackedFlush of(BucketTraffic traffic, Server member) {
    return new TrackedFlush(
        traffic, AddressKey.toAddress(member.address()), ReplyRules.portOf(traffic, member));
  }

  /** The message to the switch. */
  public ConntrackFlush message(OFFactory factory) {
    return new ConntrackFlush(
        factory,
        traffic.zone(),
        traffic.protocol(),
        new Destination(traffic.address(), traffic.port()),
        new Destination(address, port));
  }
}
