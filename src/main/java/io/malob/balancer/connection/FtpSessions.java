package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.FiveTuple;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The control connections of FTP that go through VIPs without a port: a data connection goes where
 * its client's control connection is. Which of several it belongs to is said inside them only, so
 * it is the one that was opened last. A control connection is here from its placement until its
 * client ends it or it is forgotten, also while it is dormant: it is silent during a long transfer.
 * Thread-safe.
 */
public final class FtpSessions {
  /** Where servers listen for control connections (RFC 959). */
  public static final int CONTROL_PORT = 21;

  /** Where servers open data connections from in active mode (RFC 959). */
  public static final int DATA_PORT = 20;

  /** How many are known of one client, which may be a whole site behind one address. */
  private static final int MAX_OF_ONE_CLIENT = 16;

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

  /** Whether a connection to this address and port may be a data connection, going by these. */
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

  /** A connection has ended; tells whether it was a control connection. */
  public boolean closed(Connection connection) {
    if (connection.request().dstPort() != CONTROL_PORT) {
      return false;
    }
    boolean ofVip = remove(byVip, vipEnds(connection), connection);
    boolean ofMember = remove(byMember, memberEnds(connection), connection);
    return ofVip || ofMember;
  }

  /** Whether this is a control connection that has not ended. */
  boolean isOpen(Connection connection) {
    return connection.request().dstPort() == CONTROL_PORT
        && byMember.getOrDefault(memberEnds(connection), ImmutableList.of()).contains(connection);
  }

  /** The control connection that a client opened last to a VIP, or null. */
  public @Nullable Connection atVip(int client, int vipNumber) {
    return latest(byVip.get(new Ends(client, vipNumber)));
  }

  /** The control connection that a client opened last to a member, or null. */
  public @Nullable Connection atMember(int client, int member) {
    return latest(byMember.get(new Ends(client, member)));
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
                    before.subList(
                        Math.max(0, before.size() - MAX_OF_ONE_CLIENT + 1), before.size()))
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
