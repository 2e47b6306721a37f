package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.CoreAccess;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Determines the members that a connection may go to, in three tiers. A tier is tried if no member
 * of the tiers before it is acceptable. Admission and explanations share this class. Thread-safe;
 * no side effects.
 *
 * <ol>
 *   <li>Members whose replies pass this client's switch. Two connections rarely have the same
 *       five-tuple at a member, so such clashes are not checked before a member is chosen.
 *   <li>Those of them at which no connection in the table has the same five-tuple.
 *   <li>All at which no connection in use has the same five-tuple, members behind the client's own
 *       port included, unless they have the client's next hop.
 * </ol>
 */
public record MemberTiers(ConnectionTable connections, CoreAccess coreAccess) {
  /** Chooses a member among the acceptable ones. */
  interface Attempt {
    /**
     * The reason why no member was chosen; null if a member was chosen.
     *
     * @param takesRoom whether the new connection may replace an ended or {@code DORMANT} one
     */
    @Nullable RejectReason among(Predicate<Server> acceptable, boolean takesRoom);
  }

  /**
   * Tries the tiers in turn.
   *
   * @param request the connection; null if its source port is not known, in which case clashes are
   *     not checked
   * @return the reason why no member was chosen; null if a member was chosen
   */
  @Nullable RejectReason tryEach(
      int clientAddress, Attachment client, @Nullable FiveTuple request, Attempt attempt) {
    Room room = new Room();
    @Nullable RejectReason refused =
        attempt.among(server -> room.isAt(server) && isSound(server, clientAddress, client), false);
    if (refused == RejectReason.NO_DISTINCT_MEMBER && request != null) {
      refused =
          attempt.among(
              server ->
                  room.isAt(server)
                      && isSound(server, clientAddress, client)
                      && likeAtMember(server, request) == null,
              false);
    }
    if (refused == RejectReason.NO_DISTINCT_MEMBER) {
      refused =
          attempt.among(
              server ->
                  room.isAt(server)
                      && canTake(server, clientAddress, request)
                      && room.isElsewhere(server, client),
              true);
    }
    if (refused != RejectReason.NO_DISTINCT_MEMBER) {
      return refused;
    }
    return room.sawFull
        ? RejectReason.MEMBERS_FULL
        : room.sawSameNextHop ? RejectReason.SAME_NEXT_HOP : refused;
  }

  /**
   * Tries all members that are not full, for a client that they do not see: it may be one of them,
   * or have the next hop of one.
   *
   * @return the reason why no member was chosen; null if a member was chosen
   */
  @Nullable RejectReason tryAll(Attempt attempt) {
    Room room = new Room();
    @Nullable RejectReason refused = attempt.among(room::isAt, false);
    return refused == RejectReason.NO_DISTINCT_MEMBER && room.sawFull
        ? RejectReason.MEMBERS_FULL
        : refused;
  }

  /** Skips members that cannot serve the client, and records whether it has skipped any. */
  private static final class Room {
    private boolean sawFull;
    private boolean sawSameNextHop;

    /**
     * Whether a member has another next hop than the client. A router to both sends the member's
     * replies to the client directly, past all switches.
     */
    boolean isElsewhere(Server server, Attachment client) {
      boolean isSame = server.at().equals(client);
      sawSameNextHop |= isSame;
      return !isSame;
    }

    boolean isAt(Server server) {
      boolean full = server.isFull();
      sawFull |= full;
      return !full;
    }
  }

  /**
   * Whether a server is not the client itself and its replies pass the client's switch. A neighbour
   * behind the same port may be connected by a legacy switch that forwards replies directly. They
   * would then reach the client untranslated, with a source address that it does not know. Core
   * switches send them to the client's switch.
   */
  private boolean isSound(Server server, int clientAddress, Attachment client) {
    boolean isNeighbour =
        server.at().isAtPortOf(client) && !coreAccess.isEdgePort(client.switchId(), client.port());
    return !isNeighbour && server.address() != clientAddress;
  }

  /**
   * Whether a server is not the client itself and has no connection in use with the same
   * five-tuple.
   */
  private boolean canTake(Server server, int clientAddress, @Nullable FiveTuple request) {
    if (server.address() == clientAddress) {
      return false;
    }
    @Nullable Connection other = request == null ? null : likeAtMember(server, request);
    return other == null || !other.state().counts();
  }

  /** The connection that has the same five-tuple at a server, or null. */
  private @Nullable Connection likeAtMember(Server server, FiveTuple request) {
    return connections.byReply(Connection.atMember(request, server).reversed());
  }
}
