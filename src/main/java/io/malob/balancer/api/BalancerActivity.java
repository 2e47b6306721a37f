package io.malob.balancer.api;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;

/**
 * What the balancer has done since the controller's start. Counts only grow; they were read one
 * after the other, so that those of one packet may be in one of them already and not yet in
 * another.
 *
 * @param placements what became of new connections
 * @param placementTimes from when the first packet of a connection was read until its rules and
 *     that packet were handed over to be sent, waiting for hosts and labels included
 * @param packetIns what became of packet-ins, by outcome: {@code placed}, {@code refused}, {@code
 *     known} (of a connection that is known: sent on), {@code earlier} (left to rules of before the
 *     controller's start), {@code end} (a copy of a FIN or RST), {@code arp} (for a VIP), {@code
 *     other} (left to other modules). One that waits is not in it yet.
 * @param droppedPacketIns packet-ins that were dropped before any module saw them, because more
 *     came than could be handled: by VIP, or by what they are where they are for none
 * @param waiting how many packets wait for a host, or for a switch's rules to be read
 * @param pathRepairs how often a label was led over other links because some had gone
 * @param failedPathRepairs how many of them did not get through to all switches; they are tried
 *     again
 * @param traffic what connections have carried, by member id
 * @param records what became of the records of connections
 */
public record BalancerActivity(
    ImmutableList<PlacementCount> placements,
    Durations placementTimes,
    ImmutableMap<String, Long> packetIns,
    ImmutableMap<String, Long> droppedPacketIns,
    int waiting,
    long pathRepairs,
    long failedPathRepairs,
    ImmutableMap<String, Traffic> traffic,
    Records records) {

  /**
   * New connections of one service, algorithm and outcome.
   *
   * @param serviceId the entry of the services table
   * @param algorithm the algorithm's name
   * @param outcome {@link #PLACED}, or why not, as {@link IBalancerService#rejects} calls it
   */
  public record PlacementCount(String serviceId, String algorithm, String outcome, long count) {
    /** The outcome of those that got a member. */
    public static final String PLACED = "placed";
  }

  /**
   * A histogram.
   *
   * @param boundsNanos the greatest value of each bucket but the last one, in ascending order
   * @param counts how many values are in each bucket: one more than there are bounds
   * @param sumNanos the sum of all values
   */
  public record Durations(
      ImmutableLongArray boundsNanos, ImmutableLongArray counts, long sumNanos) {}

  /**
   * What rules have counted by when they ended.
   *
   * @param requestBytes of packets to the member
   * @param replyBytes of packets from the member, as far as switches were asked to tell: all of
   *     them while connections are recorded, a sample otherwise
   * @param replyRules how many rules {@code replyBytes} is of
   */
  public record Traffic(long requestBytes, long replyBytes, long replyRules) {}

  /**
   * Records of connections.
   *
   * @param written to the file
   * @param dropped because the file could not be written fast enough, or not at all
   */
  public record Records(long written, long dropped) {}
}
