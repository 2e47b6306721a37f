package io.malob.balancer.api;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A snapshot of a connection. Immutable.
 *
 * @param request the packets from client to VIP
 * @param vipNumber the VIP's number in the catalog
 * @param algorithm the algorithm that placed it
 * @param server its member; without a port if the connection keeps its destination port
 * @param client the client's attachment
 * @param phase its phase
 * @param ageNanos the time since its first packet, or since its recovery if it was found on the
 *     switches after a restart
 * @param generation distinguishes it from earlier connections of the same five-tuple
 * @param route its paths; null before the first placement and while it is dormant
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

  /** The phase of a connection. */
  public enum Phase {
    /** It counts on its member, and its rules are installed or being installed. */
    OPEN,
    /** Its client has ended it. Its rules may remain until they expire. */
    ENDED,
    /** Its rules have expired. Its state is kept, so that it can be reactivated. */
    DORMANT
  }

  /**
   * The paths of a connection and their labels. The label of a path within one switch is null.
   *
   * @param request the path from client to member
   * @param reply the path from member to client
   */
  public record Route(
      Path request,
      @Nullable MacAddress requestLabel,
      Path reply,
      @Nullable MacAddress replyLabel) {}
}
