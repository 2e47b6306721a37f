package io.malob.balancer.admission;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Moved;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.packet.Packet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows clients and members that move to another switch or port: their connections go on there,
 * over new paths, and their rules at the old place are removed.
 *
 * <p>A connection whose client sends from the new place is found by that packet, at no cost for
 * others. The connections of a host that moves and stays silent are found by a walk over the table,
 * a batch at a time, on the executor of housekeeping: moves are rare, and an index by host would
 * cost memory and time for each connection.
 */
public final class Relocations {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Relocations.class);

  /** How many connections are checked in one tick, which takes some milliseconds. */
  private static final int MAX_CHECKS = 50_000;

  /** How many are moved in one tick, so that switches are not flooded. */
  private static final int MAX_MOVES = 200;

  /** A client that sends from two ports in turn must not have its rules changed by each packet. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionActivator activator;
  private final NextHopChanges nextHops;
  private final Predicate<DatapathId> unowned;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;

  /** Hosts that have moved since the latest walk began. By the executor's tasks alone. */
  private final Map<Host, Attachment> moved = new HashMap<>();

  /** Where members were last seen, by number. By the executor's tasks alone. */
  private final Map<Integer, Attachment> memberPlaces = new HashMap<>();

  /** A host, wherever it is. */
  private record Host(MacAddress mac, int vlan) {
    static Host of(Attachment at) {
      return new Host(at.mac(), at.vlan());
    }
  }

  private boolean memberMoved;
  private Map<Host, Attachment> sought = Map.of();
  private @Nullable Iterator<Connection> walk;
  private long count;

  private volatile boolean isBusy;
  private volatile ImmutableMap<Integer, Server> seenServers = ImmutableMap.of();

  /**
   * Nothing has moved yet.
   *
   * @param nextHops decides whether a packet shows another next hop of a client
   * @param unowned whether another controller is master of a switch, and follows clients to it
   */
  public Relocations(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionActivator activator,
      NextHopChanges nextHops,
      Predicate<DatapathId> unowned,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.activator = activator;
    this.nextHops = nextHops;
    this.unowned = unowned;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
  }

  /**
   * A packet of a connection has come to the controller. Returns whether that shows that an end has
   * moved. Called by the threads that read from switches, several at once; never blocks.
   */
  boolean seen(Connection connection, Arrival arrival, boolean isFromClient) {
    Attachment before = connection.client();
    if (isFromClient) {
      Attachment client = nextHops.byRequest(before, arrival);
      return relocate(connection, client, serverNow(connection), REST_NANOS);
    }
    Packet reply = arrival.packet();
    @Nullable MacAddress expected =
        connection.changeReplyMac(reply.dstMac(), arrival.nanos(), REST_NANOS);
    if (expected == null) {
      return relocate(connection, before, serverNow(connection), REST_NANOS);
    }
    activator.clearReplies(connection, expected);
    Attachment client = nextHops.byReply(connection, reply, arrival.nanos());
    boolean hasMoved = relocate(connection, client, serverNow(connection), 0);
    if (!hasMoved) {
      activator.restore(connection);
    }
    return hasMoved;
  }

  /**
   * Whether the client of another controller's connection has moved to this controller's switch, as
   * its packet shows. The connection is this controller's from then on. Called by the threads that
   * read from switches; never blocks.
   */
  public boolean takesOver(Connection connection, DatapathId at, OFPort inPort, Packet packet) {
    Attachment client =
        nextHops.byRequest(
            connection.client(), new Arrival(at, inPort, packet, nanoTime.getAsLong()));
    return !client.switchId().equals(connection.client().switchId())
        && relocate(connection, client, serverNow(connection), REST_NANOS);
  }

  /** Whether another controller is master of the switch of a connection's client. */
  boolean isOfOther(Connection connection) {
    return unowned.test(connection.client().switchId());
  }

  /** The member of a connection where it is attached now. */
  private Server serverNow(Connection connection) {
    Server known = connection.server();
    @Nullable Server now = views.get().servers().get(known.number());
    return now == null || now.address() != known.address() || now.at().equals(known.at())
        ? known
        : known.movedTo(now.at());
  }

  private boolean relocate(
      Connection connection, Attachment client, Server server, long restNanos) {
    if (unowned.test(client.switchId())) {
      return false; // its master follows the client
    }
    if (client.equals(connection.client()) && server.at().equals(connection.server().at())) {
      return false;
    }
    @Nullable Moved before =
        connections.relocate(connection, client, server, nanoTime.getAsLong(), restNanos);
    if (before == null) {
      return false;
    }
    activator.follow(connection, before);
    return true;
  }

  /** Whether connections may not have followed their hosts yet. */
  public boolean isBusy() {
    return isBusy;
  }

  /** A host is attached there now. To be called by tasks of the executor. */
  public void hostMoved(Attachment now) {
    moved.put(Host.of(now), now);
    isBusy = true;
  }

  /** To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    if (isBusy || isNew(views.get())) {
      serialExecutor.execute(this::resume);
    }
  }

  private void resume() {
    noticeMembers();
    if (walk == null && (memberMoved || !moved.isEmpty())) {
      sought = Map.copyOf(moved);
      moved.clear();
      memberMoved = false;
      walk = connections.all().iterator();
    }
    @Nullable Iterator<Connection> rest = walk;
    if (rest != null) {
      resume(rest);
    }
    isBusy = walk != null || memberMoved || !moved.isEmpty();
  }

  private void resume(Iterator<Connection> rest) {
    int moves = 0;
    for (int checks = 0; checks < MAX_CHECKS && moves < MAX_MOVES && rest.hasNext(); checks++) {
      Connection connection = rest.next();
      if (relocate(connection, clientNow(connection), serverNow(connection), 0)) {
        moves++;
      }
    }
    count += moves;
    if (!rest.hasNext()) {
      walk = null;
      if (count > 0) {
        LOG.info("connections_relocated count={} - their clients or members have moved", count);
      }
      count = 0;
    }
  }

  /** A client behind a router moves with the address that its member sends replies to. */
  private Attachment clientNow(Connection connection) {
    @Nullable MacAddress gateway = connection.replyMac();
    @Nullable Attachment now = sought.get(Host.of(connection.client()));
    if (now == null && gateway != null) {
      now = sought.get(new Host(gateway, connection.client().vlan()));
      if (now != null && nextHops.isHost(connection.request().source(), connection.client())) {
        now = null;
      }
    }
    return now == null ? connection.client() : now;
  }

  @SuppressWarnings("ReferenceEquality") // to compare all members each time would cost too much
  private boolean isNew(BalancerView view) {
    return seenServers != view.servers();
  }

  /** Members may have gone from the view and come back elsewhere. */
  private void noticeMembers() {
    BalancerView view = views.get();
    if (!isNew(view)) {
      return;
    }
    view.servers()
        .forEach(
            (number, server) -> {
              @Nullable Attachment before = memberPlaces.put(number, server.at());
              memberMoved |= before != null && !before.equals(server.at());
            });
    if (memberPlaces.size() > 2 * view.catalog().members().size()) {
      memberPlaces.keySet().retainAll(view.servers().keySet());
    }
    seenServers = view.servers();
  }
}
