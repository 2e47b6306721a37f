package io.malob.balancer.api;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;

/**
 * The balancer's activity since the controller's start. Counts only grow. They are read one after
 * the other, so a packet may already be in one of them and not yet in another.
 *
 * @param placements new connections by outcome
 * @param placementTimes the time from reading the first packet of a connection to queueing its
 *     rules and that packet for sending, including the wait for hosts and labels
 * @param packetIns packet-ins by outcome: {@code placed}, {@code refused}, {@code known} (of a
 *     known connection, forwarded), {@code earlier} (left to rules from before the controller's
 *     start), {@code end} (a copy of a FIN or RST), {@code arp} (for a VIP), {@code check} (an
 *     answer to a health check), {@code other} (left to other modules). A pending packet is not
 *     counted yet.
 * @param droppedPacketIns packet-ins that the overloaded controller dropped before any module saw
 *     them, by VIP; without a VIP, by kind of packet
 * @param pendingPackets the number of packets that are pending until a host is located or a
 *     switch's rules are read
 * @param pathRepairs how often a label was rerouted because of a lost link
 * @param failedPathRepairs how many repairs did not reach all switches; they are retried
 * @param traffic the traffic of connections, by member id
 * @param records the counts of connection records
 */
public record BalancerActivity(
    ImmutableList<PlacementCount> placements,
    Durations placementTimes,
    ImmutableMap<String, Long> packetIns,
    ImmutableMap<String, Long> droppedPacketIns,
    int pendingPackets,
    long pathRepairs,
    long failedPathRepairs,
    ImmutableMap<String, Traffic> traffic,
    Records records) {

  /**
   * New connections of one service, algorithm and outcome.
   *
   * @param serviceId the entry of the services table
   * @param algorithm the algorithm's name
   * @param outcome {@link #PLACED}, or a reason of {@link IBalancerService#rejects}
   */
  public record PlacementCount(String serviceId, String algorithm, String outcome, long count) {
    /** The outcome of placed connections. */
    public static final String PLACED = "placed";
  }

  /**
   * A histogram.
   *
   * @param boundsNanos the greatest value of each bucket but the last one, in ascending order
   * @param counts the number of values in each bucket; there is one bucket more than bounds
   * @param sumNanos the sum of all values
   */
  public record Durations(
      ImmutableLongArray boundsNanos, ImmutableLongArray counts, long sumNanos) {}

  /**
   * The final counters of rules.
   *
   * @param requestBytes bytes of packets to the member
   * @param replyBytes bytes of packets from the member, of rules whose removal switches report: all
   *     rules while connections are recorded, a sample otherwise
   * @param replyRules the number of rules in {@code replyBytes}
   */
  public record Traffic(long requestBytes, long replyBytes, long replyRules) {}

  /**
   * Counts of connection records.
   *
   * @param written records written to the file
   * @param dropped records that were lost because the file could not be written, or not fast enough
   */
  public record Records(long written, long dropped) {}
}
