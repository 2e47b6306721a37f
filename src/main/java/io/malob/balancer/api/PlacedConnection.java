package io.malob.balancer.api;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A connection that the balancer knows, as it was at one moment. Immutable.
 *
 * @param request the packets from client to VIP
 * @param vipNumber the VIP's number in the catalog
 * @param algorithm what placed it
 * @param server its member; without a port if the connection keeps the one that the client asked
 *     for
 * @param client where the client is attached
 * @param phase where it stands
 * @param ageNanos how long ago its first packet came or, if it was found on the switches after a
 *     restart, how long ago it was taken over
 * @param generation tells it from earlier connections of the same five-tuple
 * @param route its paths; null while it has none: before the first is chosen, and while it is
 *     dormant
 */
public record PlacedConnection(
    FiveTuple request,
    int vipNumber,
    Algorithm algorithm,
    Server server,
    Attachment client,
    Phase phase,
    long ageNanos,
    int generation,
    @Nullable Route route) {

  /** Where a connection stands. */
  public enum Phase {
    /** It counts on its member, and has rules or is about to get some. */
    OPEN,
    /** Its client has ended it; its rules may still be there until they are idle. */
    ENDED,
    /** Its rules have timed out; it is remembered, so that it can go on. */
    DORMANT
  }

  /**
   * The paths of a connection and their labels; null is the label of a path within one switch.
   *
   * @param request from client to member
   * @param reply from member to client
   */
  public record Route(
      Path request,
      @Nullable MacAddress requestLabel,
      Path reply,
      @Nullable MacAddress replyLabel) {}
}
