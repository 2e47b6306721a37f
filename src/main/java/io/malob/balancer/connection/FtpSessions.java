package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The FTP control connections that use VIPs without a port. A data connection goes to the member of
 * its client's control connection. Only the payload of a control connection says which data
 * connection belongs to it; so of several, the latest is taken. A control connection stays here
 * from its placement until its client ends it or it is removed from the connection table. It stays
 * while it is {@code DORMANT}, because it is silent during a long transfer. Thread-safe.
 */
public final class FtpSessions {
  /** The port on which servers accept control connections (RFC 959). */
  public static final int CONTROL_PORT = 21;

  /** The source port of data connections that servers open in active mode (RFC 959). */
  public static final int DATA_PORT = 20;

  /**
   * How many control connections are kept per client. A client may be a whole site behind one
   * address.
   */
  private static final int MAX_PER_CLIENT = 16;

  /** By client and VIP number, oldest first. */
  private final Map<Ends, ImmutableList<Connection>> byVip = new ConcurrentHashMap<>();

  /** By client and member address, oldest first. */
  private final Map<Ends, ImmutableList<Connection>> byMember = new ConcurrentHashMap<>();

  private record Ends(int client, int other) {}

  /** Whether a connection to this address and port is a control connection. */
  public static boolean isControl(CatalogSnapshot catalog, FiveTuple request) {
    if (request.dstPort() != CONTROL_PORT
        || request.protocol() != Protocol.TCP.ipNumber()
        || !catalog.hasService(Protocol.TCP, CONTROL_PORT)) {
      return false;
    }
    Optional<Vip> vip = catalog.vipFor(request.dstAddress(), Protocol.TCP, CONTROL_PORT);
    return vip.isPresent() && vip.get().port() == null;
  }

  /**
   * Whether a request may be an FTP data connection: control connections to its VIP are possible,
   * and its port belongs to no other service.
   */
  public static boolean mayBeData(CatalogSnapshot catalog, FiveTuple request) {
    FiveTuple control =
        FiveTuple.of(
            request.protocol(),
            request.srcAddress(),
            request.srcPort(),
            request.dstAddress(),
            CONTROL_PORT);
    return isControl(catalog, control)
        && (request.dstPort() == DATA_PORT || !catalog.hasService(Protocol.TCP, request.dstPort()));
  }

  /** A control connection was opened. */
  public void opened(Connection control) {
    add(byVip, vipEnds(control), control);
    add(byMember, memberEnds(control), control);
  }

  /** A connection has ended. Returns whether it was a known control connection. */
  public boolean closed(Connection connection) {
    boolean ofVip = remove(byVip, vipEnds(connection), connection);
    boolean ofMember = remove(byMember, memberEnds(connection), connection);
    return ofVip || ofMember;
  }

  /** Whether a connection is a control connection that has not ended. */
  boolean isOpen(Connection connection) {
    return byMember.getOrDefault(memberEnds(connection), ImmutableList.of()).contains(connection);
  }

  /** The latest control connection of a client to a VIP, or null. */
  public @Nullable Connection atVip(int client, int vipNumber) {
    return latest(byVip.get(new Ends(client, vipNumber)));
  }

  /** The latest control connection of a client to a member, or null. */
  public @Nullable Connection atMember(int client, int member) {
    return latest(byMember.get(new Ends(client, member)));
  }

  /** The control connection of a data connection that a member opens with this packet, or null. */
  public @Nullable Connection controlOf(Packet packet) {
    return packet.isTcpSyn() && packet.srcPort() == DATA_PORT
        ? atMember(packet.dstAddress(), packet.srcAddress())
        : null;
  }

  private static @Nullable Connection latest(@Nullable ImmutableList<Connection> controls) {
    return controls == null ? null : controls.get(controls.size() - 1);
  }

  private static Ends vipEnds(Connection control) {
    return new Ends(control.request().srcAddress(), control.vipNumber());
  }

  private static Ends memberEnds(Connection control) {
    return new Ends(control.request().srcAddress(), control.server().address());
  }

  private static void add(Map<Ends, ImmutableList<Connection>> map, Ends ends, Connection control) {
    map.merge(
        ends,
        ImmutableList.of(control),
        (before, added) ->
            ImmutableList.<Connection>builder()
                .addAll(
                    before.subList(Math.max(0, before.size() - MAX_PER_CLIENT + 1), before.size()))
                .addAll(added)
                .build());
  }

  private static boolean remove(
      Map<Ends, ImmutableList<Connection>> map, Ends ends, Connection control) {
    @Nullable ImmutableList<Connection> before = map.get(ends);
    if (before == null || !before.contains(control)) {
      return false;
    }
    map.computeIfPresent(
        ends,
        (any, controls) -> {
          ImmutableList<Connection> left =
              controls.stream()
                  .filter(each -> each != control)
                  .collect(ImmutableList.toImmutableList());
          return left.isEmpty() ? null : left;
        });
    return true;
  }
}
