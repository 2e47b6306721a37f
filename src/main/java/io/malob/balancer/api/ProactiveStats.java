package io.malob.balancer.api;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.state.catalog.PlacementMode;
import java.util.Locale;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The state of a VIP whose placement is or may become proactive. Immutable.
 *
 * @param vipId the VIP
 * @param mode as configured
 * @param state what applies now
 * @param tracking who chooses the members of connections that switches track; empty if they do not
 * @param edges the switches that have or may have clients of the VIP
 * @param moves how many buckets have moved since the start
 * @param recentMoves the latest moves, newest first
 * @param opened connections that buckets have placed on members, estimated, by member id
 */
public record ProactiveStats(
    String vipId,
    PlacementMode mode,
    State state,
    Optional<Tracking> tracking,
    ImmutableList<Edge> edges,
    long moves,
    ImmutableList<Move> recentMoves,
    ImmutableMap<String, Long> opened) {

  /** Whether switches place connections of the VIP, so that their number is an estimate. */
  public boolean hasBuckets() {
    return edges.stream().anyMatch(edge -> edge.buckets() > 0);
  }

  /** Who chooses the members of connections that switches track. */
  public enum Tracking {
    /** The controller, for each connection. */
    EXACT,
    /** Buckets, by the shares of the members. */
    SHARES;

    /** Its name in REST. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What applies to the VIP or an edge now. */
  public enum State {
    /** The controller places all connections. */
    REACTIVE,
    /** It is changing to the other. */
    CHANGING,
    /** Switches place connections. */
    PROACTIVE;

    /** Its name in REST. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The buckets at one client edge.
   *
   * @param switchId the switch
   * @param source the part of packets that chooses the bucket; empty if the switch has no buckets
   * @param buckets the number of buckets
   * @param moving how many of them are moving
   * @param byMember the buckets of each member, by id
   * @param loads the part of the measured traffic that each member gets, by id
   * @param shares the shares that the algorithm proposes, by member id
   * @param imbalance the fraction of traffic that goes to another member than by shares
   * @param tooFewSources whether clients are too few to meet the shares
   * @param packetsPerSecond the packets of clients that take the buckets, smoothed
   * @param problem why the edge is reactive although the VIP is not, or lacks something; empty if
   *     all is well
   */
  public record Edge(
      DatapathId switchId,
      State state,
      Optional<String> source,
      int buckets,
      int moving,
      ImmutableMap<String, Integer> byMember,
      ImmutableMap<String, Double> loads,
      ImmutableMap<String, Double> shares,
      double imbalance,
      boolean tooFewSources,
      double packetsPerSecond,
      Optional<Problem> problem) {}

  /**
   * Why an edge cannot have buckets, or places fewer connections by them than it should.
   *
   * @param text the same in words
   */
  public record Problem(Kind kind, String text) {
    /** The kinds of problems. */
    public enum Kind {
      /** A switch has refused a rule, for instance because its table is full. */
      RULE_REFUSED,
      /** The switch accepts masks neither on ports nor on addresses. */
      NO_MASKS,
      /** The VIP needs too many rules for the one table of the switch or of a member's switch. */
      FEW_TABLES,
      /** The VIP is tracked, and the switch does not track connections. */
      NO_TRACKING,
      /**
       * The VIP is tracked, and the switch has no room for more connections. It keeps its buckets.
       */
      TRACKING_FULL,
      /** The pool has source_nat, and no source address is left for the switch. */
      NO_SOURCE_ADDRESS
    }
  }

  /**
   * Buckets that moved together.
   *
   * @param switchId the client edge
   * @param from the id of the member before
   * @param to the id of the member after
   * @param cause why
   * @param secondsAgo when
   * @param buckets how many
   */
  public record Move(
      DatapathId switchId, String from, String to, String cause, double secondsAgo, int buckets) {}
}
