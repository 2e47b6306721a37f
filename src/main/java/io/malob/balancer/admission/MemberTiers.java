package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which members a connection may go to: three tiers, each tried if no member of those before it is
 * acceptable. Admission and explanations share it. Thread-safe; changes nothing.
 *
 * <ol>
 *   <li>Members whose replies come by here. Clashes of connections are rare, so they are not looked
 *       for before a member is chosen.
 *   <li>Those of them that can tell the connection from all that are remembered.
 *   <li>All that can tell it from those in use, also behind the client's own port.
 * </ol>
 */
public final class MemberTiers {
  private final ConnectionTable connections;

  /** The tiers, going by that table. */
  public MemberTiers(ConnectionTable connections) {
    this.connections = connections;
  }

  /** Chooses a member among those that are acceptable. */
  interface Attempt {
    /**
     * Why no member was chosen; null if one was.
     *
     * @param takesRoom whether a connection that has ended, or is dormant, gives way
     */
    @Nullable RejectReason among(Predicate<Server> acceptable, boolean takesRoom);
  }

  /**
   * Tries the tiers in turn.
   *
   * @param request the connection; null if its source port is not known, so that clashes are not
   *     looked for
   * @return why no member was chosen; null if one was
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
              server -> room.isAt(server) && canTake(server, clientAddress, request), true);
    }
    return refused == RejectReason.NO_DISTINCT_MEMBER && room.sawFull
        ? RejectReason.MEMBERS_FULL
        : refused;
  }

  /** Passes over members that are full, and remembers that there was one. */
  private static final class Room {
    private boolean sawFull;

    boolean isAt(Server server) {
      boolean full = server.isFull();
      sawFull |= full;
      return !full;
    }
  }

  /**
   * Whether a server is not the client itself, and its replies come by here. Those to a neighbour
   * behind the same port may not: a switch of their own carries them directly, and the client would
   * not know whom they are from.
   */
  private static boolean isSound(Server server, int clientAddress, Attachment client) {
    boolean isNeighbour =
        server.at().switchId().equals(client.switchId())
            && server.at().port().equals(client.port());
    return !isNeighbour && server.address() != clientAddress;
  }

  /** Whether a server is not the client itself and can tell the connection from all in use. */
  private boolean canTake(Server server, int clientAddress, @Nullable FiveTuple request) {
    if (server.address() == clientAddress) {
      return false;
    }
    @Nullable Connection other = request == null ? null : likeAtMember(server, request);
    return other == null || !other.state().counts();
  }

  /** The connection that looks like this one to a server, or null. */
  private @Nullable Connection likeAtMember(Server server, FiveTuple request) {
    return connections.byReply(Connection.atMember(request, server).reversed());
  }
}
